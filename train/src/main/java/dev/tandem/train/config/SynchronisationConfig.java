package dev.tandem.train.config;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.nn.spec.Fields;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.sync.policy.Threading;
import dev.tandem.sync.tune.AutoSynchronizer;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How gradients of ranks meet at levels fast and run, and what is written down about it.
 *
 * @param policy as {@link SyncOptions#of(String)} names it, or {@code auto}
 * @param timeline a file for the trace of all ranks, in the run's folder unless it is absolute;
 *     empty for none
 * @param tuned the folder where {@code auto} keeps what it found; empty for the user's own
 */
public record SynchronisationConfig(String policy, String timeline, String tuned) {

  private static final String DEFAULT = "buckets";

  public SynchronisationConfig {
    if (!policy.equals(AutoSynchronizer.CODE)) {
      SyncOptions.of(policy);
    }
  }

  /** Reads the key {@code synchronisation}: a policy, or a mapping. */
  static SynchronisationConfig read(Fields root) {
    if (!root.has("synchronisation") || !root.tree("synchronisation").isObject()) {
      return new SynchronisationConfig(root.text("synchronisation", DEFAULT), "", "");
    }
    Fields keys = root.section("synchronisation");
    SynchronisationConfig config =
        new SynchronisationConfig(
            keys.text("policy", DEFAULT), keys.text("timeline", ""), keys.text("tuned", ""));
    keys.requireAllRead();
    return config;
  }

  void write(ObjectNode to) {
    to.put("policy", policy);
    to.put("timeline", timeline);
    to.put("tuned", tuned);
  }

  /** Whether policies are tried. */
  public boolean automatic() {
    return policy.equals(AutoSynchronizer.CODE);
  }

  /** Whether background and input threads share one pool. */
  public boolean sharesPool() {
    return !automatic() && SyncOptions.of(policy).threading() == Threading.SHARED_POOL;
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
