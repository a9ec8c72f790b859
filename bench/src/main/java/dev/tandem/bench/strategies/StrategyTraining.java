package dev.tandem.bench.strategies;

import dev.tandem.comm.Communicator;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.parallel.cost.PlanMemory;
import dev.tandem.parallel.cost.PlanTraffic;

/** One rank's training under a strategy. */
abstract class StrategyTraining implements AutoCloseable {

  /** Numbers that the optimizer keeps for each parameter. */
  static final int STATE_VALUES = 1;

  final Workload workload;
  private final Communicator all;
  private int steps;

  StrategyTraining(Communicator all, Workload workload) {
    this.all = all;
    this.workload = workload;
  }

  /**
   * Both passes of a step, and the sum of gradients.
   *
   * @param together whether batch normalisations of other samples are synchronised, as they are in
   *     one process
   */
  abstract void passes(int step, boolean together);

  abstract Network network();

  abstract Optimizer optimizer();

  /** Nanoseconds so far in exchanges. */
  abstract long exchangeNanos();

  /** Nanoseconds so far in sums of gradients. */
  abstract long syncNanos();

  /** Nanoseconds so far waiting for other stages. */
  abstract long idleNanos();

  /** What the formulas say that this rank sends in a step. */
  abstract PlanTraffic traffic();

  /** What the formulas say that this rank needs. */
  abstract PlanMemory memory();

  private void step(boolean together) {
    passes(steps++, together);
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
    long bytes = all.traffic().bytesSent();
    long exchange = exchangeNanos();
    long sync = syncNanos();
    long idle = idleNanos();
    long began = System.nanoTime();
    for (int i = 0; i < count; i++) {
      step(false);
    }
    long end = System.nanoTime();
    return new StepFigures(
        (end - began) / 1e9 / count,
        (exchangeNanos() - exchange) / 1e9 / count,
        (syncNanos() - sync) / 1e9 / count,
        (idleNanos() - idle) / 1e9 / count,
        (double) (all.traffic().bytesSent() - bytes) / count);
  }

  @Override
  public abstract void close();
}
