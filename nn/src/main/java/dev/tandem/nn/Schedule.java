package dev.tandem.nn;

/**
 * The learning rate of each step. Depends on the step alone, so a restarted run goes on with the
 * same rates on every processor.
 */
@FunctionalInterface
public interface Schedule {

  /** The rate of the step with this number, counted from 0. */
  double rate(long step);

  /** The same rate always. */
  static Schedule constant(double rate) {
    Numbers.positive("the learning rate", rate);
    return step -> rate;
  }

  /** The rate for a batch, given one that works for another: in proportion, after Goyal et al. */
  static double linearlyScaled(double rate, long forBatch, long batch) {
    return rate * batch / forBatch;
  }
}
