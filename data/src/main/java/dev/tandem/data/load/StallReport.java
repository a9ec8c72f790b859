package dev.tandem.data.load;

import java.util.Locale;

/**
 * Where a loader and its consumer waited for one another. Shares are between 0 and 1; those of the
 * workers add up to 1.
 *
 * @param seconds since the loader began
 * @param firstBatchSeconds until the first batch was there; not counted as waiting
 * @param samples decoded so far, some of them ahead of the consumer
 * @param bytesRead of records that the feed has handed over so far
 * @param readSeconds that the reading threads spent in the source
 * @param consumerWaits share of the consumer's time, since the first batch, that it waited for one
 * @param workersWaitForStorage share of the workers' time: no record was there
 * @param workersDecode share of the workers' time
 * @param workersAugment share of the workers' time, normalising included
 * @param workersWaitForConsumer share of the workers' time: all batches were ready or lent
 */
public record StallReport(
    double seconds,
    double firstBatchSeconds,
    long samples,
    long bytesRead,
    double readSeconds,
    double consumerWaits,
    double workersWaitForStorage,
    double workersDecode,
    double workersAugment,
    double workersWaitForConsumer) {

  /** Of a rank for which another one loads. */
  public static final StallReport NONE = new StallReport(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** A consumer that waits less than this share of its time is the slowest part itself. */
  private static final double NEGLIGIBLE = 0.1;

  /** The parts of which one is the slowest. */
  public enum Stage {
    STORAGE,
    DECODE,
    AUGMENT,
    CONSUMER
  }

  /**
   * The slowest part: the consumer if it hardly waits, else the storage if the workers wait for
   * records longer than they work, else what they do most.
   */
  public Stage bottleneck() {
    if (consumerWaits < NEGLIGIBLE) {
      return Stage.CONSUMER;
    }
    if (workersWaitForStorage > workersDecode + workersAugment) {
      return Stage.STORAGE;
    }
    return workersDecode >= workersAugment ? Stage.DECODE : Stage.AUGMENT;
  }

  /** One sentence for a person. */
  public String sentence() {
    String slowest =
        switch (bottleneck()) {
          case STORAGE -> "the storage";
          case DECODE -> "decoding";
          case AUGMENT -> "augmentation";
          case CONSUMER -> "the consumer";
        };
    return String.format(
        Locale.ROOT,
        "The bottleneck is %s: the consumer waited %.0f%% of its time for batches; the decoding"
            + " threads waited %.0f%% of theirs for records, decoded %.0f%%, augmented %.0f%% and"
            + " waited %.0f%% for the consumer.",
        slowest,
        100 * consumerWaits,
        100 * workersWaitForStorage,
        100 * workersDecode,
        100 * workersAugment,
        100 * workersWaitForConsumer);
  }
}
