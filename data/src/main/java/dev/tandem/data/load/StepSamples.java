package dev.tandem.data.load;

import dev.tandem.data.order.Step;

/**
 * What a rank is to have in its batch of one step. Immutable as long as its arrays are not written.
 */
public final class StepSamples {

  private final Step step;
  private final long[] ordinals;
  private final long[] visits;

  /**
   * Takes the arrays over.
   *
   * @param ordinals the records, in order
   * @param visits which visit of its record each sample is: the epoch, unless samples are reused.
   *     Augmentation depends on it.
   */
  public StepSamples(Step step, long[] ordinals, long[] visits) {
    this.step = step;
    this.ordinals = ordinals;
    this.visits = visits;
  }

  /** The step, over all ranks. */
  public Step step() {
    return step;
  }

  /** Samples of this rank. */
  public int count() {
    return ordinals.length;
  }

  /** The record of a sample. */
  public long ordinal(int sample) {
    return ordinals[sample];
  }

  /** Which visit of its record a sample is. */
  public long visit(int sample) {
    return visits[sample];
  }
}
