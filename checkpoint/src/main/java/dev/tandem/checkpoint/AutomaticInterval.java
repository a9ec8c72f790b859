package dev.tandem.checkpoint;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;

/**
 * Says when to save, from what saving costs and how often machines fail: Young and Daly's interval,
 * but no more often than a budget allows, nor than the disk can write. All ranks decide the same,
 * because they agree on the slowest rank's measurements at each save.
 *
 * <p>One thread, in all ranks at the same place of the program.
 */
public final class AutomaticInterval {

  private final Communicator ranks;
  private final double meanTimeBetweenFailures;
  private final double budget;
  private long lastStep;
  private long interval;

  /**
   * A run that has saved nothing yet.
   *
   * @param ranks borrowed; used in {@link #saved} alone
   * @param meanTimeBetweenFailures seconds, of the whole job
   * @param budget share of the time that may go into checkpoints, such as 0.01
   * @param first steps until the first save, whose cost is unknown
   */
  public AutomaticInterval(
      Communicator ranks, double meanTimeBetweenFailures, double budget, long first) {
    this.ranks = ranks;
    this.meanTimeBetweenFailures = meanTimeBetweenFailures;
    this.budget = budget;
    this.interval = Math.max(1, first);
    // Wrong numbers are refused now, not at the first save.
    var _ = seconds(0, 0);
  }

  /**
   * The run continues after this many steps; its first save is as far from them as from the
   * beginning.
   */
  public void begin(long step) {
    lastStep = step;
  }

  /** Whether to save after this many steps. */
  public boolean due(long step) {
    return step - lastStep >= interval;
  }

  /** Steps until the next save, from the last one. */
  public long interval() {
    return interval;
  }

  /**
   * A save was made; all ranks call it.
   *
   * @param stallSeconds that it held up this rank
   * @param writeSeconds that the last one took to be written; 0 if unknown yet
   * @param stepSeconds that a step takes this rank
   */
  public void saved(long step, double stallSeconds, double writeSeconds, double stepSeconds) {
    double[] slowest = {stallSeconds, writeSeconds, stepSeconds};
    ranks.allreduce(MemorySegment.ofArray(slowest), DType.FLOAT64, ReduceOp.MAX);
    lastStep = step;
    double steps = seconds(slowest[0], slowest[1]) / Math.max(slowest[2], 1e-9);
    interval = Math.clamp((long) Math.ceil(steps), 1, Integer.MAX_VALUE);
  }

  private double seconds(double stall, double write) {
    double best = CheckpointInterval.youngDaly(stall, meanTimeBetweenFailures);
    return Math.max(write, Math.max(best, CheckpointInterval.withinBudget(stall, budget)));
  }
}
