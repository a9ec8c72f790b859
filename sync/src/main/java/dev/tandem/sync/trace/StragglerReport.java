package dev.tandem.sync.trace;

import dev.tandem.comm.Communicator;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Who holds the others up, and why, from the {@link StepMeter}s of all ranks.
 *
 * <p>Whoever is awaited waits least itself. The rank whose own work (input and computation) takes
 * longest is the straggler if the others wait for it; the part of its work that exceeds theirs most
 * is the cause. If computation does, and as much time went by without a core, the cause is
 * scheduling. If nobody's work stands out and transfers take a large part of the step, the cause is
 * the network, and the rank is the one that a message takes longest to reach.
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
   * @param rank who is late; -1 if nobody
   * @param sentence for a person
   */
  public record Finding(Cause cause, int rank, String sentence) {}

  /** Below this share of a step, nobody is worth naming. */
  private static final double NOTABLE = 0.1;

  private static final int PROBE_BYTES = 128 << 10;
  private static final int PROBES = 5;

  private final List<StepTimes> ranks;
  private final double[] messageMillis;

  StragglerReport(List<StepTimes> ranks, double[] messageMillis) {
    this.ranks = List.copyOf(ranks);
    this.messageMillis = messageMillis.clone();
  }

  /** Collects the times of all ranks, and sends them a few messages; all do this together. */
  public static StragglerReport collect(Communicator communicator, StepMeter meter) {
    double[] mine = meter.read().toArray();
    double[] all = new double[StepTimes.FIGURES * communicator.size()];
    communicator.allgather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all));
    List<StepTimes> ranks = new ArrayList<>();
    for (int rank = 0; rank < communicator.size(); rank++) {
      ranks.add(StepTimes.of(all, rank * StepTimes.FIGURES));
    }
    double[] messages = new double[communicator.size()];
    for (int rank = 1; rank < communicator.size(); rank++) {
      messages[rank] = probe(communicator, rank);
    }
    communicator.broadcast(MemorySegment.ofArray(messages), 0);
    return new StragglerReport(ranks, messages);
  }

  /** How long a message between rank 0 and another takes there and back, at best. */
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
    int late = 0;
    for (int rank = 1; rank < ranks.size(); rank++) {
      late = ranks.get(rank).ownMillis() > ranks.get(late).ownMillis() ? rank : late;
    }
    StepTimes culprit = ranks.get(late);
    StepTimes others = othersThan(late);
    double excess = culprit.ownMillis() - others.ownMillis();
    double step = culprit.ownMillis() + culprit.transferMillis() + culprit.agreementMillis();
    if (ranks.size() > 1 && excess > NOTABLE * step) {
      return straggler(late, culprit, others, excess);
    }
    if (culprit.transferMillis() > NOTABLE * step && ranks.size() > 1) {
      return network(step);
    }
    return new Finding(Cause.NONE, -1, "no rank holds the others up");
  }

  private Finding straggler(int rank, StepTimes culprit, StepTimes others, double excess) {
    double input = culprit.inputMillis() - others.inputMillis();
    double compute = culprit.computeMillis() - others.computeMillis();
    double coreWait = culprit.coreWaitMillis() - others.coreWaitMillis();
    if (input >= compute) {
      return new Finding(
          Cause.INPUT,
          rank,
          line(
              "rank %d holds the others up by %.1f ms a step: it waits for input for %.1f ms,"
                  + " the others for %.1f ms",
              rank, excess, culprit.inputMillis(), others.inputMillis()));
    }
    if (coreWait > compute / 2) {
      return new Finding(
          Cause.SCHEDULING,
          rank,
          line(
              "rank %d holds the others up by %.1f ms a step: its threads wait for a core for"
                  + " %.1f ms, those of others for %.1f ms",
              rank, excess, culprit.coreWaitMillis(), others.coreWaitMillis()));
    }
    return new Finding(
        Cause.COMPUTE,
        rank,
        line(
            "rank %d holds the others up by %.1f ms a step: it computes for %.1f ms, the others for"
                + " %.1f ms",
            rank, excess, culprit.computeMillis(), others.computeMillis()));
  }

  private Finding network(double step) {
    int far = 1;
    for (int rank = 2; rank < messageMillis.length; rank++) {
      far = messageMillis[rank] > messageMillis[far] ? rank : far;
    }
    double transfer = ranks.stream().mapToDouble(StepTimes::transferMillis).max().orElseThrow();
    return new Finding(
        Cause.NETWORK,
        far,
        line(
            "the network holds all ranks up: transfers take %.1f of %.1f ms a step; the slowest"
                + " link is that of rank %d, %.2f ms for %d KiB there and back",
            transfer, step, far, messageMillis[far], PROBE_BYTES >> 10));
  }

  /** The medians of all other ranks. */
  private StepTimes othersThan(int rank) {
    double[] medians = new double[StepTimes.FIGURES];
    for (int figure = 0; figure < medians.length; figure++) {
      double[] values = new double[ranks.size() - 1];
      for (int other = 0, place = 0; other < ranks.size(); other++) {
        if (other != rank) {
          values[place++] = ranks.get(other).toArray()[figure];
        }
      }
      Arrays.sort(values);
      medians[figure] = values.length == 0 ? 0 : values[values.length / 2];
    }
    return StepTimes.of(medians, 0);
  }

  /** A table of all ranks, and the finding. */
  public String text() {
    StringBuilder text = new StringBuilder("milliseconds a step\n");
    text.append("rank      input    compute  core wait  waits for ranks  transfer  oversleep\n");
    for (int rank = 0; rank < ranks.size(); rank++) {
      StepTimes times = ranks.get(rank);
      text.append(
          line(
              "%4d %10.2f %10.2f %10.2f %16.2f %9.2f %10.2f%n",
              rank,
              times.inputMillis(),
              times.computeMillis(),
              times.coreWaitMillis(),
              times.agreementMillis(),
              times.transferMillis(),
              times.oversleepMillis()));
    }
    return text.append(finding().sentence()).append('\n').toString();
  }

  @SuppressWarnings("AnnotateFormatMethod") // Private, and every format stands above.
  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
