package dev.tandem.train.config;

import dev.tandem.nn.yaml.Default;
import dev.tandem.train.batch.BatchSizing;
import dev.tandem.train.batch.GrowingBatch;
import java.util.Optional;

/**
 * The batch of a step.
 *
 * @param global samples of one step over all ranks
 * @param accumulation passes in which a rank goes through its samples of a step, adding gradients
 *     up: more of them need less memory
 * @param grow how the batch grows when training slows down; empty if it stays
 * @param sawTooth whether the batch doubles with each pass of {@code data.reuse} and begins again
 *     with the next samples that are read
 */
public record BatchConfig(
    @Default("64") int global,
    @Default("1") int accumulation,
    Optional<GrowingBatch.Settings> grow,
    @Default("false") boolean sawTooth) {

  public BatchConfig {
    Require.atLeast("global", 1, global);
    Require.atLeast("accumulation", 1, accumulation);
  }

  /** The largest batch that a step may have. */
  public int most() {
    return grow.map(growing -> Math.max(global, growing.limit())).orElse(global);
  }

  /** A policy of its own for each rank. */
  public BatchSizing sizing() {
    return grow.<BatchSizing>map(GrowingBatch::new).orElse(BatchSizing.FIXED);
  }
}
