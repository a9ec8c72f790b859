package dev.tandem.bench.batch;

import dev.tandem.train.batch.BatchSizing;
import dev.tandem.train.batch.GrowingBatch;
import java.util.function.Supplier;

/**
 * How the batches of a trial are sized.
 *
 * @param policy its name in results
 * @param first samples of the first step
 * @param largest samples of any step at most
 * @param rateGrowth the power of the batch with which the learning rate grows on the way
 * @param sizing makes a policy without memory of other trials
 */
record BatchPlan(
    String policy, int first, int largest, double rateGrowth, Supplier<BatchSizing> sizing) {

  /** The policy of a batch that stays. */
  static final String FIXED = "fixed";

  /** The policy of a batch that grows. */
  static final String GROW = "grow";

  /** All steps alike. */
  static BatchPlan fixed(int batch) {
    return new BatchPlan(FIXED, batch, batch, 0, () -> BatchSizing.FIXED);
  }

  /**
   * Small steps at first, larger ones where the loss falls slowly. The rate grows in proportion, so
   * that a sample counts as much as before, and an epoch teaches about as much in fewer steps.
   */
  static BatchPlan growing(int first, GrowingBatch.Settings settings) {
    return new BatchPlan(GROW, first, settings.limit(), 1, () -> new GrowingBatch(settings));
  }
}
