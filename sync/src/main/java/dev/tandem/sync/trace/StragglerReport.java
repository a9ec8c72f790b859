package dev.tandem.sync.trace;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which rank holds the others up, and why, from the {@link StepMeter}s of all ranks: where the time
 * of steps and of transfers goes, which rank waits for which, how long background threads
 * oversleep, and one sentence. Immutable.
 */
public final class StragglerReport {

  /** Why a rank is late. */
  public enum Cause {
    NONE,
    INPUT,
    COMPUTE,
    SCHEDULING,
    NETWORK
  }

  /**
   * What was found.
   *
   * @param rank that is late; -1 if none is
   * @param sentence for a person
   */
  public record Finding(Cause cause, int rank, String sentence) {}

  /**
   * The figures of a rank: milliseconds of a step, then of a transfer, on average.
   *
   * @param cisShare of the step in which input is active while the network computes and nothing was
   *     transferred yet, 0 to 1
   * @param latenessMillis that it enters a transfer after the first rank
   * @param stallingMillis and what follows: {@link SyncSplit}
   * @param waitsForMillis how long it waits for each rank in a transfer
   */
  public record Row(
      int rank,
      double inputMillis,
      double computeMillis,
      double coreWaitMillis,
      double agreementMillis,
      double oversleepMillis,
      double cisShare,
      double latenessMillis,
      double stallingMillis,
      double cycleMillis,
      double orderingMillis,
      double copyMillis,
      double transferMillis,
      List<Double> waitsForMillis) {}

  private static final int PROBE_BYTES = 512 << 10;
  private static final int PROBES = 3;

  private final List<StepTimes> ranks;
  private final List<SyncSplit> splits;
  private final List<Oversleep> oversleeps;
  private final WaitTable waits;
  private final Finding finding;

  private StragglerReport(
      List<StepTimes> ranks,
      List<SyncSplit> splits,
      List<Oversleep> oversleeps,
      WaitTable waits,
      Finding finding) {
    this.ranks = List.copyOf(ranks);
    this.splits = List.copyOf(splits);
    this.oversleeps = List.copyOf(oversleeps);
    this.waits = waits;
    this.finding = finding;
  }

  /**
   * Collects the times of all ranks, and sends them a few messages. All do this together, between
   * two steps.
   */
  public static StragglerReport collect(Communicator communicator, StepMeter meter) {
    List<StepTimes> times = new ArrayList<>();
    double[] all = gather(communicator, meter.readTimes().toArray());
    for (int at = 0; at < all.length; at += StepTimes.FIGURES) {
      times.add(StepTimes.of(all, at));
    }
    List<Oversleep> oversleeps = new ArrayList<>();
    all = gather(communicator, meter.readOversleep().toArray());
    for (int at = 0; at < all.length; at += Oversleep.FIGURES) {
      oversleeps.add(Oversleep.of(all, at));
    }
    ClockAlignment clock = ClockAlignment.measure(communicator);
    TransferWindow window = meter.window();
    long first = agree(communicator, window.first(), ReduceOp.MAX);
    WaitTable waits = waits(communicator, window, first, clock);
    List<SyncSplit> splits = new ArrayList<>();
    all = gather(communicator, waits.split(window, first, clock).toArray());
    for (int at = 0; at < all.length; at += SyncSplit.FIGURES) {
      splits.add(SyncSplit.of(all, at));
    }
    Culprit culprit = new Culprit(times, probe(communicator), PROBE_BYTES);
    return new StragglerReport(times, splits, oversleeps, waits, culprit.finding());
  }

  static double[] gather(Communicator communicator, double[] mine) {
    double[] all = new double[mine.length * communicator.size()];
    communicator.allgather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all));
    return all;
  }

  static long agree(Communicator communicator, long number, ReduceOp op) {
    long[] word = {number};
    communicator.allreduce(MemorySegment.ofArray(word), DType.INT64, op);
    return word[0];
  }

  /** The transfers that the windows of all ranks have in common, from a number on. */
  static WaitTable waits(
      Communicator communicator, TransferWindow window, long first, ClockAlignment clock) {
    long end = Math.max(first, agree(communicator, window.end(), ReduceOp.MIN));
    int count = (int) (end - first);
    long[] mine = new long[count];
    List<String> labels = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      mine[i] = window.transfer(first + i).readyNanos() - clock.nanos();
      labels.add(window.transfer(first + i).label());
    }
    long[] all = new long[count * communicator.size()];
    communicator.allgather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all));
    long[][] ready = new long[communicator.size()][count];
    for (int rank = 0; rank < ready.length; rank++) {
      System.arraycopy(all, rank * count, ready[rank], 0, count);
    }
    return new WaitTable(labels, ready);
  }

  /** How long a message between rank 0 and each other takes there and back, at best. */
  private static List<Double> probe(Communicator communicator) {
    double[] messages = new double[communicator.size()];
    for (int rank = 1; rank < communicator.size(); rank++) {
      messages[rank] = probe(communicator, rank);
    }
    communicator.broadcast(MemorySegment.ofArray(messages), 0);
    return Arrays.stream(messages).boxed().toList();
  }

  private static double probe(Communicator communicator, int rank) {
    MemorySegment data = MemorySegment.ofArray(new byte[PROBE_BYTES]);
    double best = Double.MAX_VALUE;
    for (int i = 0; i < PROBES; i++) {
      long began = System.nanoTime();
      if (communicator.rank() == 0) {
        communicator.send(data, rank);
        communicator.receive(data, rank);
      } else if (communicator.rank() == rank) {
        communicator.receive(data, 0);
        communicator.send(data, 0);
      }
      best = Math.min(best, (System.nanoTime() - began) / 1e6);
    }
    return best;
  }

  /** The culprit. */
  public Finding finding() {
    return finding;
  }

  /** The figures of all ranks, in their order. */
  public List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (int rank = 0; rank < ranks.size(); rank++) {
      StepTimes times = ranks.get(rank);
      SyncSplit split = splits.get(rank);
      List<Double> waitsFor = new ArrayList<>();
      for (int other = 0; other < ranks.size(); other++) {
        waitsFor.add(waits.waitMillis(rank, other));
      }
      rows.add(
          new Row(
              rank,
              times.inputMillis(),
              times.computeMillis(),
              times.coreWaitMillis(),
              times.agreementMillis(),
              times.oversleepMillis(),
              times.cisShare(),
              waits.latenessMillis(rank),
              split.stallingMillis(),
              split.cycleMillis(),
              split.orderingMillis(),
              split.copyMillis(),
              split.transferMillis(),
              waitsFor));
    }
    return rows;
  }

  /** Tables of all ranks, and the finding. */
  public String text() {
    return new StragglerTables(ranks, splits, oversleeps, waits).text() + finding.sentence() + '\n';
  }
}
