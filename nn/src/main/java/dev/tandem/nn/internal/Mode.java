package dev.tandem.nn.internal;

import dev.tandem.core.Seed;

/**
 * What a forward pass is for.
 *
 * @param training whether normalisations take the batch's statistics and dropouts drop
 * @param seed of all dropouts of a run
 * @param step number of the step
 * @param firstSample place of the batch's first sample among all samples of the step
 * @param samples of the batch; a tensor of a network that is split over ranks may have a share of
 *     them
 * @param repeated whether the same pass was done before: nothing of it is remembered twice
 */
public record Mode(
    boolean training, Seed seed, long step, long firstSample, long samples, boolean repeated) {

  /** A pass that is done for the first time. */
  public Mode(boolean training, Seed seed, long step, long firstSample, long samples) {
    this(training, seed, step, firstSample, samples, false);
  }

  /** For answers, not for learning. */
  public static Mode evaluation(long samples) {
    return new Mode(false, new Seed(0), 0, 0, samples);
  }

  /** The same pass, done again. */
  Mode again() {
    return new Mode(training, seed, step, firstSample, samples, true);
  }
}
