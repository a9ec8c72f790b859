package dev.tandem.bench.sync;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import dev.tandem.sync.GradientSynchronizer;
import dev.tandem.sync.Synchronizer;
import dev.tandem.sync.plan.TrainingGraph;
import dev.tandem.sync.policy.SyncOptions;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** Trains for a turn and measures it. All ranks do the same; for one thread. */
final class SyncTraining {

  /** Dropped: they live on what was decoded meanwhile, and plans are agreed on in them. */
  static final int WARM_UP = 4;

  /**
   * Decoded, but never trained on: input threads must have as much to do in the last step as in the
   * others, and be there when they are counted.
   */
  private static final int AHEAD = 4;

  private final Communicator communicator;
  private final SyncWorkload workload;
  // Of the steps that count, how long this thread waited.
  private long awaitNanos;
  private long inputNanos;

  SyncTraining(Communicator communicator, SyncWorkload workload) {
    this.communicator = communicator;
    this.workload = workload;
  }

  /** A synchroniser of the workload's gradients, started. */
  Synchronizer synchronizer(SyncOptions options, BackgroundClock clock) {
    return Synchronizer.over(communicator, options)
        .planning(TrainingGraph.of(workload.network().gradientGraph()))
        .gradients(workload.network().gradientBuffer(), workload.network().gradients())
        .observedBy(clock)
        .start();
  }

  /** From the first parameters, a few steps that do not count and a number that do. */
  SyncMeasurement run(SyncTurn turn, int steps) {
    workload.reset();
    communicator.barrier();
    BackgroundClock clock = new BackgroundClock();
    if (!turn.synchronises()) {
      return run(turn, steps, new NoSums(), clock);
    }
    try (Synchronizer synchronizer = synchronizer(turn.options(), clock)) {
      return run(turn, steps, synchronizer, clock);
    }
  }

  private SyncMeasurement run(
      SyncTurn turn, int steps, GradientSynchronizer synchronizer, BackgroundClock clock) {
    long[] nanos = new long[steps];
    try (SyncWorkload.Feed feed = workload.new Feed(turn, WARM_UP + steps + AHEAD)) {
      for (int step = 0; step < WARM_UP; step++) {
        step(feed, synchronizer, step);
      }
      clock.begin();
      awaitNanos = 0;
      inputNanos = 0;
      ProcessCounters before = ProcessCounters.read();
      long began = System.nanoTime();
      for (int step = 0; step < steps; step++) {
        long last = System.nanoTime();
        step(feed, synchronizer, WARM_UP + step);
        nanos[step] = System.nanoTime() - last;
      }
      double passed = System.nanoTime() - began;
      BackgroundClock.Seen seen = clock.seen();
      ProcessCounters used = ProcessCounters.read().since(before);
      communicator.barrier();
      Map<SyncFigure, Double> figures = figures(nanos, passed, seen, used);
      return new SyncMeasurement(
          SyncMeasurement.average(communicator, figures),
          turn.synchronises() ? agreedDigest(turn) : 0);
    }
  }

  /** Each rank goes on with its own gradients. */
  private static final class NoSums implements GradientSynchronizer {

    @Override
    public void submit(TensorView gradient, float weight) {}

    @Override
    public void await() {}
  }

  private void step(SyncWorkload.Feed feed, GradientSynchronizer synchronizer, int step) {
    float weight = 1f / communicator.size();
    long began = System.nanoTime();
    var samples = feed.next();
    inputNanos += System.nanoTime() - began;
    workload.gradients(samples, step, gradient -> synchronizer.submit(gradient, weight));
    long computed = System.nanoTime();
    synchronizer.await();
    awaitNanos += System.nanoTime() - computed;
    workload.update();
  }

  private Map<SyncFigure, Double> figures(
      long[] stepNanos, double passed, BackgroundClock.Seen seen, ProcessCounters used) {
    int steps = stepNanos.length;
    long[] sorted = stepNanos.clone();
    Arrays.sort(sorted);
    double millis = 1e6 * steps;
    ThreadCounters background = used.of(ThreadRole.BACKGROUND);
    ThreadCounters engine = used.of(ThreadRole.ENGINE);
    Map<SyncFigure, Double> figures = new EnumMap<>(SyncFigure.class);
    for (SyncFigure figure : SyncFigure.values()) {
      figures.put(
          figure,
          switch (figure) {
            case ITERATION_MILLIS -> (sorted[(steps - 1) / 2] + sorted[steps / 2]) / 2e6;
            case MEAN_MILLIS -> passed / millis;
            case P95_MILLIS -> sorted[(int) (0.95 * (steps - 1))] / 1e6;
            case BACKGROUND_SHARE -> background.runNanos() / passed;
            case CONTROL_WAIT_SHARE -> seen.waitNanos() / passed;
            case INVOLUNTARY_SWITCHES -> (double) background.involuntarySwitches() / steps;
            case OVERSLEEP_MICROS -> seen.oversleepMicros();
            case AWAIT_MILLIS -> awaitNanos / millis;
            case INPUT_WAIT_MILLIS -> inputNanos / millis;
            case TRANSFER_MILLIS -> seen.transferNanos() / millis;
            case AGREEMENTS -> (double) seen.agreements() / steps;
            case ENGINE_CPU_MILLIS -> engine.runNanos() / millis;
            case ENGINE_QUEUED_MILLIS -> engine.queuedNanos() / millis;
            case INPUT_CPU_MILLIS -> used.of(ThreadRole.INPUT).runNanos() / millis;
            case OTHER_CPU_MILLIS -> used.of(ThreadRole.OTHER).runNanos() / millis;
          });
    }
    return figures;
  }

  /** Of the parameters, which all ranks have alike. */
  private long agreedDigest(SyncTurn turn) {
    long digest = workload.digest();
    if (all((double) digest, ReduceOp.MIN) != all((double) digest, ReduceOp.MAX)) {
      throw new WorkFailedException("the ranks have different parameters after " + turn);
    }
    return digest;
  }

  /** One number of all ranks, which all call this. */
  double all(double value, ReduceOp op) {
    double[] values = {value};
    communicator.allreduce(MemorySegment.ofArray(values), DType.FLOAT64, op);
    return values[0];
  }
}
