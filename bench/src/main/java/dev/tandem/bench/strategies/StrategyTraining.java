package dev.tandem.bench.strategies;

import dev.tandem.bench.strategies.LayerClock.Activity;
import dev.tandem.comm.Communicator;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.cost.PlanMemory;
import dev.tandem.parallel.cost.PlanTraffic;

/** One rank's training under a strategy. */
abstract class StrategyTraining implements AutoCloseable {

  /** Numbers that the optimizer keeps for each parameter. */
  static final int STATE_VALUES = 1;

  final Workload workload;
  private final Communicator all;
  private final Engine engine;
  private final LayerClock clock;
  private int steps;

  /**
   * The training of a rank.
   *
   * @param local what the rank computes
   * @param rows whether ranks keep rows of parameters
   */
  StrategyTraining(
      Communicator all, Workload workload, Engine engine, LocalNetwork local, boolean rows) {
    this.all = all;
    this.workload = workload;
    this.engine = engine;
    clock = new LayerClock(workload.network(), local.spec(), rows);
  }

  /**
   * Both passes of a step, and the sum of gradients.
   *
   * @param together whether batch normalisations of other samples are synchronised, as they are in
   *     one process
   * @param timer told what layers take
   */
  abstract void passes(int step, boolean together, LayerClock timer);

  abstract Network network();

  abstract Optimizer optimizer();

  /** Nanoseconds so far in sums of gradients after the backward pass. */
  abstract long syncNanos();

  /** What the formulas say that this rank sends in a step. */
  abstract PlanTraffic traffic();

  /** What the formulas say that this rank needs. */
  abstract PlanMemory memory();

  private void step(boolean together) {
    passes(steps++, together, clock);
    Workload.update(optimizer());
  }

  /** How far parameters are from those of one process, after the first steps of this training. */
  double error() {
    for (int i = 0; i < Workload.COMPARED_STEPS; i++) {
      step(true);
    }
    return workload.error(network(), pieces());
  }

  /** Into how many pieces a batch is cut, whose gradients add up. */
  int pieces() {
    return 1;
  }

  /** Trains; the first step does not count. */
  StepFigures measure(int count) {
    step(false);
    all.barrier();
    engine.resetPeak();
    clock.reset();
    long bytes = all.traffic().bytesSent();
    long sync = syncNanos();
    long began = System.nanoTime();
    for (int i = 0; i < count; i++) {
      step(false);
    }
    long end = System.nanoTime();
    return new StepFigures(
        (end - began) / 1e9 / count,
        clock.seconds(Activity.COPY) / count,
        clock.seconds(Activity.EXCHANGE) / count,
        clock.seconds(Activity.SYNC) / count + (syncNanos() - sync) / 1e9 / count,
        clock.seconds(Activity.IDLE) / count,
        (double) (all.traffic().bytesSent() - bytes) / count,
        (double) engine.memory().peak(),
        clock.seconds(count));
  }

  @Override
  public abstract void close();
}
