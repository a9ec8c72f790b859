package dev.tandem.train.batch;

import dev.tandem.core.UsageException;
import java.util.List;

/** The policies by their names in configurations and options. */
public final class BatchSizings {

  /** The batch stays as it was configured. */
  public static final String FIXED = "fixed";

  /** See {@link GrowingBatch}. */
  public static final String GROW = "grow";

  /** See {@link SawToothBatch}. */
  public static final String SAW_TOOTH = "saw-tooth";

  private static final int FACTOR = 2;

  private BatchSizings() {}

  public static List<String> names() {
    return List.of(FIXED, GROW, SAW_TOOTH);
  }

  /**
   * The policy of this name.
   *
   * @param batch the configured one, with which training begins
   * @param limit the largest batch
   * @param threshold of the fall of the loss ({@code grow}) or the share of reused samples ({@code
   *     saw-tooth})
   * @param windowSamples over which {@code grow} averages the loss
   */
  public static BatchSizing of(
      String name, int batch, int limit, double threshold, long windowSamples) {
    return switch (name) {
      case FIXED -> BatchSizing.FIXED;
      case GROW ->
          new GrowingBatch(
              new GrowingBatch.Settings(Math.max(batch, limit), FACTOR, threshold, windowSamples));
      case SAW_TOOTH -> new SawToothBatch(new SawToothBatch.Settings(batch, limit, threshold));
      default ->
          throw new UsageException(
              "the batch is sized by one of %s, not by '%s'"
                  .formatted(String.join(", ", names()), name));
    };
  }
}
