package dev.tandem.nn.internal;

import dev.tandem.core.Seed;

/**
 * What a forward pass is for.
 *
 * @param training whether normalisations take the batch's statistics and dropouts drop
 * @param seed of all dropouts of a run
 * @param step number of the step
 * @param firstSample place of the batch's first sample among all samples of the step
 * @param samples of the batch, of which a tensor of a split network may have a share
 */
public record Mode(boolean training, Seed seed, long step, long firstSample, long samples) {

  /** For answers, not for learning. */
  public static final Mode EVALUATION = new Mode(false, new Seed(0), 0, 0, 0);
}
