package dev.tandem.nn;

import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import java.util.Optional;

/**
 * What one training step is besides its samples. Made by {@link #of} and changed by the {@code
 * with} methods.
 *
 * @param seed of the run; together with the number of the step and the place of a sample it decides
 *     what dropouts drop
 * @param number of the step, counted from 0
 * @param firstSample place of the first sample among the samples of all ranks in this step
 * @param accumulate whether gradients are added to those that are there, or replace them
 * @param ready told of each gradient as soon as it is there
 * @param statistics where batch normalisations of several batches meet, or null: each batch is
 *     normalised by itself
 * @param meanOver samples of all batches of all ranks, over which the loss is averaged: then the
 *     gradients of the batches add up to those of the whole step, however unequal the batches are;
 *     0 if the gradients of each batch are those of its own mean
 * @param observer shown what every layer computes
 * @param timer told how long every layer takes
 */
public record TrainingStep(
    Seed seed,
    long number,
    long firstSample,
    boolean accumulate,
    GradientListener ready,
    StatisticsReducer statistics,
    long meanOver,
    Optional<LayerObserver> observer,
    Optional<LayerTimer> timer) {

  private static final GradientListener NOBODY =
      new GradientListener() {
        @Override
        public void ready(int shard, int parameter, TensorView gradient) {}

        @Override
        public boolean early() {
          return false;
        }
      };

  /** A step of one process, which replaces the gradients. */
  public static TrainingStep of(Seed seed, long number) {
    return new TrainingStep(
        seed, number, 0, false, NOBODY, null, 0, Optional.empty(), Optional.empty());
  }

  /** The same step for samples that begin at this place among those of all ranks. */
  public TrainingStep withFirstSample(long place) {
    return new TrainingStep(
        seed, number, place, accumulate, ready, statistics, meanOver, observer, timer);
  }

  /** The same step, whose gradients are added to those that are there. */
  public TrainingStep accumulating() {
    return new TrainingStep(
        seed, number, firstSample, true, ready, statistics, meanOver, observer, timer);
  }

  /** The same step, which tells of gradients. */
  public TrainingStep withListener(GradientListener listener) {
    return new TrainingStep(
        seed, number, firstSample, accumulate, listener, statistics, meanOver, observer, timer);
  }

  /** The same step with synchronised batch normalisation. */
  public TrainingStep withStatistics(StatisticsReducer reducer) {
    return new TrainingStep(
        seed, number, firstSample, accumulate, ready, reducer, meanOver, observer, timer);
  }

  /** The same step as a part of one with N samples. */
  public TrainingStep withMeanOver(long samples) {
    return new TrainingStep(
        seed, number, firstSample, accumulate, ready, statistics, samples, observer, timer);
  }

  /** The same step, which shows what every layer computes. */
  public TrainingStep withObserver(LayerObserver other) {
    return new TrainingStep(
        seed,
        number,
        firstSample,
        accumulate,
        ready,
        statistics,
        meanOver,
        Optional.of(other),
        timer);
  }

  /** The same step, which tells how long every layer takes. */
  public TrainingStep withTimer(LayerTimer other) {
    return new TrainingStep(
        seed,
        number,
        firstSample,
        accumulate,
        ready,
        statistics,
        meanOver,
        observer,
        Optional.of(other));
  }

  /** What the gradients of the mean over N samples are multiplied with. */
  double share(int samples) {
    return meanOver == 0 ? 1 : (double) samples / meanOver;
  }
}
