package dev.tandem.sync.trace;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the time of steps went on each rank, in their order: milliseconds per step, on average.
 *
 * @param input waited for samples
 * @param waiting for other ranks, after what the backward pass hides
 * @param coreWait threads could have run and had no core, added up over all threads
 * @param lateness milliseconds per transfer that the rank enters it after the first one
 */
public record RankTimes(
    List<Float> input,
    List<Float> compute,
    List<Float> waiting,
    List<Float> coreWait,
    List<Float> lateness) {

  private static final int FIGURES = 4;

  /** What one rank has spent on some steps, in nanoseconds of all of them together. */
  public record Own(long steps, long inputNanos, long computeNanos, long waitNanos) {

    /** What was spent since an earlier moment. */
    public Own since(Own earlier) {
      return new Own(
          steps - earlier.steps,
          inputNanos - earlier.inputNanos,
          computeNanos - earlier.computeNanos,
          waitNanos - earlier.waitNanos);
    }
  }

  /** Collects the times of all ranks, with a few small messages; between two steps. */
  public static RankTimes collect(Communicator communicator, StepMeter meter, Own own) {
    double each = 1e6 * Math.max(1, own.steps);
    double[] mine = {
      own.inputNanos / each,
      own.computeNanos / each,
      own.waitNanos / each,
      meter.readCoreWaitNanos() / each
    };
    double[] all = StragglerReport.gather(communicator, mine);
    ClockAlignment clock = ClockAlignment.measure(communicator);
    TransferWindow window = meter.window();
    long first = StragglerReport.agree(communicator, window.first(), ReduceOp.MAX);
    WaitTable waits = StragglerReport.waits(communicator, window, first, clock);
    List<Float> lateness = new ArrayList<>();
    for (int rank = 0; rank < communicator.size(); rank++) {
      lateness.add((float) waits.latenessMillis(rank));
    }
    return new RankTimes(figure(all, 0), figure(all, 1), figure(all, 2), figure(all, 3), lateness);
  }

  private static List<Float> figure(double[] all, int figure) {
    List<Float> figures = new ArrayList<>();
    for (int at = figure; at < all.length; at += FIGURES) {
      figures.add((float) all[at]);
    }
    return figures;
  }
}
