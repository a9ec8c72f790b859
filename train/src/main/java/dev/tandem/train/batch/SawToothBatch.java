package dev.tandem.train.batch;

import dev.tandem.core.UsageException;

/**
 * A batch for data that are reused: samples are read into memory in lots of N and trained on
 * several times. While enough of a step's samples were served again from memory, the batch is
 * doubled from B on, since their gradients tell less; a step with all N ends the lot, and with the
 * next one, which is new, the batch is B again.
 *
 * <p>Depends on the last step alone, so a checkpoint keeps nothing of it. The learning rate is not
 * this policy's; see {@link GrowingBatch}.
 */
public final class SawToothBatch implements BatchSizing {

  /**
   * The numbers of the policy.
   *
   * @param smallest B, the batch for new data
   * @param largest N, the samples that are read into memory at a time; a multiple of B
   * @param reused the share of reused samples in a step from which on the batch grows
   */
  public record Settings(int smallest, int largest, double reused) {

    public Settings {
      if (smallest < 1) {
        throw new UsageException("the smallest batch has at least 1 sample, not " + smallest);
      }
      if (largest <= smallest || largest % smallest != 0) {
        throw new UsageException(
            "the largest batch, %d, is not a multiple of the smallest, %d"
                .formatted(largest, smallest));
      }
      if (!(reused > 0 && reused <= 1)) {
        throw new UsageException(
            "the share of reused samples is from more than 0 to 1, not " + reused);
      }
    }
  }

  private final Settings settings;

  public SawToothBatch(Settings settings) {
    this.settings = settings;
  }

  @Override
  public int next(BatchObservation observation) {
    int batch = Math.clamp(observation.batch(), settings.smallest(), settings.largest());
    if (batch == settings.largest()) {
      return settings.smallest();
    }
    return observation.reused() >= settings.reused()
        ? (int) Math.min(settings.largest(), 2L * batch)
        : batch;
  }
}
