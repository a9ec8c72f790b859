package dev.tandem.oracle.sync;

import dev.tandem.core.Seed;
import java.util.SplittableRandom;

/**
 * Draws the noise of one run. What happens to the engine's own work comes from a stream of its own
 * that is the same for all policies, so that policies are compared on the same bad luck.
 */
final class RankNoise {

  /** The difference of two uniform numbers between 0 and 1, times this, has deviation 1. */
  private static final double UNIT = Math.sqrt(6);

  private final SchedulingNoise noise;
  private final SplittableRandom engine;
  private final SplittableRandom scheduler;
  private long engineWaits;

  RankNoise(SchedulingNoise noise, Seed seed) {
    this.noise = noise;
    this.engine = seed.derive("engine").random();
    this.scheduler = seed.derive("scheduler").random();
  }

  /**
   * Sets when each rank's pass ends for which its engine is woken at a time. The engine has slept
   * since its last pass ended.
   *
   * @param ends of the last pass when it is called, of this one afterwards
   */
  void computeEnds(double begin, double computeMillis, boolean contended, double[] ends) {
    double stalls = noise.stallsPerSecond() * computeMillis / 1e3;
    double spread = noise.jitter() * computeMillis * UNIT;
    for (int rank = 0; rank < ends.length; rank++) {
      double more = engine.nextDouble();
      double less = engine.nextDouble();
      double woken = begin + held(engine.nextDouble(), contended, begin - ends[rank]);
      ends[rank] = woken + computeMillis + spread * (more - less) + waits(engine, stalls);
    }
  }

  /** By how much a sleeping thread wakes late, apart from what holds its core. */
  double slack() {
    return scheduler.nextDouble() * 2 * noise.timerSlackMicros() / 1e3;
  }

  /** How long a thread that wakes waits for the core it left some milliseconds ago. */
  double held(boolean contended, double sleptMillis) {
    return held(scheduler.nextDouble(), contended, sleptMillis);
  }

  /** One draw says whether and how long, so that a stream is the same whatever the chance is. */
  private double held(double drawn, boolean contended, double sleptMillis) {
    double share = contended ? noise.heldShareInWindow() : noise.heldShare();
    if (drawn >= share) {
      // The chance is at most the share: no exponential for most draws.
      return 0;
    }
    double held = share * chance(sleptMillis / noise.takeoverMillis());
    return drawn < held ? -noise.holdMillis() * Math.log(1 - drawn / held) : 0;
  }

  /**
   * How long a thread waits for the core that it had at first and has shared for some milliseconds
   * since, in turns that last as long as a hold.
   */
  double lost(double sharedMillis) {
    double drawn = scheduler.nextDouble();
    if (drawn >= 0.5) {
      // The chance is at most a half: no exponential for half of the draws.
      return 0;
    }
    double lost = chance(2 * sharedMillis / noise.holdMillis()) / 2;
    return drawn < lost ? -noise.holdMillis() * Math.log(1 - drawn / lost) : 0;
  }

  /** For how many of those milliseconds another had the core, on average. */
  double away(double sharedMillis) {
    double hold = noise.holdMillis();
    return (sharedMillis - hold / 2 * chance(2 * sharedMillis / hold)) / 2;
  }

  /** A moment between 0 and a length, each as likely. */
  double within(double length) {
    return scheduler.nextDouble() * length;
  }

  /** How long the engine is kept from its core that dispatches nodes beside a spinner. */
  double preemption(double nodes) {
    return waits(scheduler, noise.preemptionsPerThousandNodes() * nodes / 1e3);
  }

  /** How often the engine has lost its core so far. That it waits for one to wake up on is not. */
  long engineWaits() {
    return engineWaits;
  }

  /**
   * The engine's waits for its core where a number is expected: one after another, as they come.
   */
  private double waits(SplittableRandom random, double expected) {
    double waited = 0;
    double left = expected;
    // Times between events are exponential. The first is seldom short enough, and it is longer than
    // the number it is drawn from: no logarithm for most draws.
    for (double drawn = random.nextDouble(); drawn < left; drawn = random.nextDouble()) {
      left += Math.log1p(-drawn);
      if (left <= 0) {
        break;
      }
      waited += hold(random);
      engineWaits++;
    }
    return waited;
  }

  private double hold(SplittableRandom random) {
    return -noise.holdMillis() * Math.log(1 - random.nextDouble());
  }

  /** Of at least one event where a number is expected. */
  private static double chance(double expected) {
    // Less work than expm1, and chances are never so small that it matters.
    return 1 - Math.exp(-expected);
  }
}
