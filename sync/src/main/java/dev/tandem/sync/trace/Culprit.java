package dev.tandem.sync.trace;

import dev.tandem.sync.trace.StragglerReport.Cause;
import dev.tandem.sync.trace.StragglerReport.Finding;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Finds the rank that holds the others up, and why.
 *
 * <p>The rank that is awaited waits least itself. The rank whose own work (input and computation)
 * takes longest is the straggler if the others wait for it; the part of its work that exceeds
 * theirs most is the cause. If computation does, and as much time went by without a core, the cause
 * is scheduling. If nobody's work stands out and transfers take a large part of the step, the cause
 * is the network, and the rank is the one that a message takes longest to reach; unless messages
 * are fast by themselves and threads wait for cores longer than transfers take, which is
 * scheduling.
 *
 * @param messageMillis by rank, how long a message from rank 0 takes there and back
 * @param messageBytes of such a message
 */
record Culprit(List<StepTimes> ranks, List<Double> messageMillis, int messageBytes) {

  /** Below this share of a step, nobody is worth naming. */
  private static final double NOTABLE = 0.1;

  /** A probe of 512 KiB that takes less there and back has about a gigabit a second to itself. */
  private static final double FINE_MILLIS = 10;

  Finding finding() {
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
      int crowded = busiest();
      boolean coresAreShort = ranks.get(crowded).coreWaitMillis() > culprit.transferMillis();
      return coresAreShort && linksAreFine() ? crowded(crowded) : network(step);
    }
    return new Finding(Cause.NONE, -1, "no rank holds the others up");
  }

  private static Finding straggler(int rank, StepTimes culprit, StepTimes others, double excess) {
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

  private boolean linksAreFine() {
    return messageMillis.stream().allMatch(millis -> millis < FINE_MILLIS);
  }

  /** The rank whose threads wait longest for cores. */
  private int busiest() {
    int busiest = 0;
    for (int rank = 1; rank < ranks.size(); rank++) {
      busiest =
          ranks.get(rank).coreWaitMillis() > ranks.get(busiest).coreWaitMillis() ? rank : busiest;
    }
    return busiest;
  }

  private Finding crowded(int rank) {
    return new Finding(
        Cause.SCHEDULING,
        rank,
        line(
            "all ranks are held up by a lack of cores: transfers take %.1f ms a step over links that"
                + " are fast, while threads wait for a core, those of rank %d for %.1f ms",
            ranks.get(rank).transferMillis(), rank, ranks.get(rank).coreWaitMillis()));
  }

  private Finding network(double step) {
    int far = 1;
    for (int rank = 2; rank < messageMillis.size(); rank++) {
      far = messageMillis.get(rank) > messageMillis.get(far) ? rank : far;
    }
    double transfer = ranks.stream().mapToDouble(StepTimes::transferMillis).max().orElseThrow();
    return new Finding(
        Cause.NETWORK,
        far,
        line(
            "the network holds all ranks up: transfers take %.1f of %.1f ms a step; the slowest"
                + " link is that of rank %d, %.2f ms for %d KiB there and back",
            transfer, step, far, messageMillis.get(far), messageBytes >> 10));
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

  @SuppressWarnings("AnnotateFormatMethod") // Private, and every format stands above.
  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
