package dev.tandem.train.config;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.nn.spec.Fields;
import dev.tandem.sync.policy.SyncOptions;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How gradients of ranks meet at levels fast and run, and what is written down about it.
 *
 * @param policy as {@link SyncOptions#of(String)} names it
 * @param timeline a file for the trace of all ranks, in the run's folder unless it is absolute;
 *     empty for none
 */
public record SynchronisationConfig(String policy, String timeline) {

  private static final String DEFAULT = "buckets";

  public SynchronisationConfig {
    SyncOptions.of(policy);
  }

  /** Reads the key {@code synchronisation}: a policy, or a mapping. */
  static SynchronisationConfig read(Fields root) {
    if (!root.has("synchronisation") || !root.tree("synchronisation").isObject()) {
      return new SynchronisationConfig(root.text("synchronisation", DEFAULT), "");
    }
    Fields keys = root.section("synchronisation");
    SynchronisationConfig config =
        new SynchronisationConfig(keys.text("policy", DEFAULT), keys.text("timeline", ""));
    keys.requireAllRead();
    return config;
  }

  void write(ObjectNode to) {
    to.put("policy", policy);
    to.put("timeline", timeline);
  }

  /** Where the trace goes, if anywhere. */
  public Optional<Path> timelineOf(Path run) {
    return timeline.isEmpty() ? Optional.empty() : Optional.of(run.resolve(timeline));
  }
}
