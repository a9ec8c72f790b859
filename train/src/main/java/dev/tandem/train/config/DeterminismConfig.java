package dev.tandem.train.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tandem.nn.yaml.Default;

/**
 * What the bits of the result may depend on.
 *
 * @param shards parts into which each step is cut at level elastic, whatever the number of ranks:
 *     the most ranks that can share a run
 * @param synchronisedBatchNorm whether batch normalisations see the samples of all ranks
 */
public record DeterminismConfig(
    @JsonProperty("determinism") @Default("run") Level level,
    @Default("8") int shards,
    @Default("false") boolean synchronisedBatchNorm) {

  /** The three promises. */
  public enum Level {
    /** The fastest order of reductions. */
    FAST,
    /** The same seed, ranks and threads give the same bits. */
    RUN,
    /** The same seed gives the same bits on any number of ranks, up to the number of shards. */
    ELASTIC
  }

  public DeterminismConfig {
    Require.atLeast("shards", 1, shards);
  }

  /** Whether the cut of a step does not depend on the ranks. */
  public boolean elastic() {
    return level == Level.ELASTIC;
  }
}
