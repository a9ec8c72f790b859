package dev.tandem.oracle.sync;

import dev.tandem.core.Seed;

/**
 * Ranks agree cycle by cycle. In every cycle a rank sleeps until its cycle time is over, if it is
 * not yet, wakes (perhaps late), enters the collective and waits there for the others. A tensor
 * leaves in the first cycle that every rank entered after it was ready. A rank that waited longer
 * than a cycle does not sleep, the one that came last sleeps the whole of it: that is how lateness
 * passes from one cycle to the next. A transfer does not bring the ranks together again: cycles go
 * on while it runs, because another thread waits for its end (thesis, 8.3.3).
 */
final class NegotiatedSimulation extends SyncSimulation {

  /** When each rank entered the cycle's collective, and when it saw that all had. */
  private final double[] entered;

  private final double[] left;

  private final double cycleMillis;
  private final double controlMillis;

  NegotiatedSimulation(
      SyncParameters parameters, SimulatedPolicy policy, Workload workload, int ranks, Seed seed) {
    super(parameters, policy, workload, ranks, seed);
    this.entered = new double[ranks];
    this.left = new double[ranks];
    this.cycleMillis = cluster.protocol().cycleMillis();
    this.controlMillis = cluster.protocol().controlMillis(ranks);
  }

  @Override
  double synchronise() {
    int tensors = workload.network().tensors();
    int sent = 0;
    double started = begin;
    while (sent < tensors) {
      agree(enter());
      int common = common(tensors);
      if (common > sent) {
        started = latest(left);
        transfer(started, common - sent);
        sent = common;
      }
    }
    return started;
  }

  /** Lets every rank sleep what is left of its cycle and enter the next; when the last does. */
  private double enter() {
    double common = policy == SimulatedPolicy.GS ? commonSleep() : Double.NaN;
    double last = Double.NEGATIVE_INFINITY;
    for (int rank = 0; rank < ranks; rank++) {
      double sleep = Double.isNaN(common) ? sleep(rank) : common;
      double wake = left[rank] + sleep;
      double enters = sleep > 0 ? wake + late(wake, sleep) : wake;
      entered[rank] = enters;
      last = Math.max(last, enters);
    }
    return last;
  }

  private double sleep(int rank) {
    return Math.max(0, entered[rank] + cycleMillis - left[rank]);
  }

  /** The least sleep of all ranks, agreed on by one more collective. */
  private double commonSleep() {
    double least = cycleMillis;
    for (int rank = 0; rank < ranks; rank++) {
      least = Math.min(least, sleep(rank));
    }
    spin(left, latest(left) + controlMillis);
    return least;
  }

  /** Lets all ranks wait until the last has come. */
  private void agree(double lastEntered) {
    double agreed = lastEntered + controlMillis;
    if (policy.spins()) {
      spin(entered, agreed);
    } else {
      nap(agreed);
    }
  }

  /** Lets every rank spin, since a time of its own, until all have come. */
  private void spin(double[] since, double agreed) {
    double busy = 0;
    for (int rank = 0; rank < ranks; rank++) {
      double from = Math.max(since[rank], begin);
      double shared = Math.min(agreed, windowEnd) - from;
      busy += agreed - since[rank];
      left[rank] = agreed;
      if (shared > 0 && !policy.partitions()) {
        // One of the input pipeline's threads wants the same core: they take turns.
        busy -= noise.away(shared);
        double contended = Math.min(shared, computed[rank] - from);
        computed[rank] += noise.preemption(Math.max(0, contended) * workload.nodesPerMilli());
        // It sees that all have come when it has the core again, at the latest when input rests.
        left[rank] = Math.max(agreed, Math.min(windowEnd, agreed + noise.lost(shared)));
      }
    }
    account.busy += busy / ranks;
  }

  /** A rank sees at its next test that all have come. */
  private void nap(double agreed) {
    double nap = cluster.protocol().napMicros() / 1e3;
    double test = cluster.protocol().testMicros() / 1e3;
    double busy = 0;
    for (int rank = 0; rank < ranks; rank++) {
      left[rank] = agreed + noise.within(nap) + late(agreed, nap);
      busy += (left[rank] - entered[rank]) * test / (test + nap);
    }
    account.busy += busy / ranks;
  }

  /** How many tensors every rank had ready when it entered; they become ready in one order. */
  private int common(int tensors) {
    double least = Double.MAX_VALUE;
    for (int rank = 0; rank < ranks; rank++) {
      least = Math.min(least, entered[rank] - computed[rank]);
    }
    return (int) Math.clamp(Math.floor(least / requestMillis()), 0, tensors);
  }

  private static double latest(double[] times) {
    double latest = Double.NEGATIVE_INFINITY;
    for (double time : times) {
      latest = Math.max(latest, time);
    }
    return latest;
  }
}
