package dev.tandem.train.config;

import com.fasterxml.jackson.annotation.JsonCreator;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import dev.tandem.nn.yaml.Spelling;
import dev.tandem.sync.policy.Partitioning;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.sync.policy.Threading;
import dev.tandem.sync.tune.AutoSynchronizer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How gradients of ranks meet at levels fast and run, and what is written down about it.
 *
 * @param policy as {@link SyncOptions#of(String)} names it, or {@code auto}
 * @param timeline a file for the trace of all ranks, in the run's folder unless it is absolute;
 *     empty for none
 * @param tuned the folder where {@code auto} keeps what it found; empty for the user's own
 */
public record SynchronisationConfig(
    @Default("buckets") String policy, @Default("") String timeline, @Default("") String tuned) {

  @JsonCreator
  public SynchronisationConfig {
    if (!policy.equals(AutoSynchronizer.CODE)) {
      check(policy);
    }
  }

  private static void check(String policy) {
    try {
      SyncOptions.of(policy);
    } catch (UsageException e) {
      List<String> known = new ArrayList<>(SyncOptions.codes());
      known.add(AutoSynchronizer.CODE);
      throw new UsageException(
          "policy is '%s': %s%s"
              .formatted(policy, e.getMessage(), Spelling.question(policy, known)));
    }
  }

  /** A policy alone stands for a mapping with it. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  static SynchronisationConfig of(String policy) {
    return new SynchronisationConfig(policy, "", "");
  }

  /** Whether policies are tried. */
  public boolean automatic() {
    return policy.equals(AutoSynchronizer.CODE);
  }

  /** Whether background and input threads share one pool. */
  public boolean sharesPool() {
    return !automatic() && SyncOptions.of(policy).threading() == Threading.SHARED_POOL;
  }

  /** How the cores of a rank are divided between its threads. */
  public Partitioning partitioning() {
    return automatic() ? Partitioning.NONE : SyncOptions.of(policy).partitioning();
  }

  /** Where {@code auto} keeps what it found. */
  public Path tunedFolder() {
    return tuned.isEmpty() ? AutoSynchronizer.userFolder() : Path.of(tuned);
  }

  /** Where the trace goes, if anywhere. */
  public Optional<Path> timelineOf(Path run) {
    return timeline.isEmpty() ? Optional.empty() : Optional.of(run.resolve(timeline));
  }
}
