package dev.tandem.sync.trace;

import java.util.List;
import java.util.Locale;

/** The figures of a {@link StragglerReport} as tables for a person, each in the order of ranks. */
record StragglerTables(
    List<StepTimes> ranks, List<SyncSplit> splits, List<Oversleep> oversleeps, WaitTable waits) {

  private static final int SLOWEST = 3;

  String text() {
    StringBuilder text = new StringBuilder();
    steps(text);
    transfers(text);
    waits(text);
    oversleeps(text);
    return text.toString();
  }

  private void steps(StringBuilder text) {
    text.append("milliseconds a step; CIS: share of it in which input threads are active while the")
        .append(" network computes and nothing was transferred yet\n")
        .append("rank      input    compute  core wait  waits for ranks  transfers  oversleep")
        .append("   CIS\n");
    for (int rank = 0; rank < ranks.size(); rank++) {
      StepTimes times = ranks.get(rank);
      text.append(
          line(
              "%4d %10.2f %10.2f %10.2f %16.2f %10.2f %10.2f %4.0f%%%n",
              rank,
              times.inputMillis(),
              times.computeMillis(),
              times.coreWaitMillis(),
              times.agreementMillis(),
              times.transferMillis(),
              times.oversleepMillis(),
              100 * times.cisShare()));
    }
  }

  private void transfers(StringBuilder text) {
    text.append(
            "\nmilliseconds of a transfer, from asking to the sum; means of the last %d\n"
                .formatted(waits.transfers()))
        .append("rank   stalling      cycle   ordering       copy   transfer        all\n");
    for (int rank = 0; rank < splits.size(); rank++) {
      SyncSplit split = splits.get(rank);
      text.append(
          line(
              "%4d %10.3f %10.3f %10.3f %10.3f %10.3f %10.3f%n",
              rank,
              split.stallingMillis(),
              split.cycleMillis(),
              split.orderingMillis(),
              split.copyMillis(),
              split.transferMillis(),
              split.allMillis()));
    }
  }

  private void waits(StringBuilder text) {
    text.append("\nmilliseconds that a rank (row) waits for another (column) in a transfer\nrank");
    for (int other = 0; other < ranks.size(); other++) {
      text.append("%10d".formatted(other));
    }
    text.append("   comes late by   comes last\n");
    for (int rank = 0; rank < ranks.size(); rank++) {
      text.append("%4d".formatted(rank));
      for (int other = 0; other < ranks.size(); other++) {
        text.append(line("%10.3f", waits.waitMillis(rank, other)));
      }
      text.append(
          line("%13.3f ms %11.0f%%%n", waits.latenessMillis(rank), 100 * waits.lastShare(rank)));
    }
    for (WaitTable.Slow slow : waits.slowest(SLOWEST)) {
      text.append(
          line(
              "%s: up to %.3f ms, mostly for rank %d%n",
              slow.label(), slow.waitMillis(), slow.last()));
    }
  }

  private void oversleeps(StringBuilder text) {
    text.append("\nsleeps of the background thread that were too long by, and correlation with the")
        .append(" next\nrank   sleeps")
        .append(Oversleep.heads())
        .append('\n');
    for (int rank = 0; rank < oversleeps.size(); rank++) {
      Oversleep oversleep = oversleeps.get(rank);
      text.append("%4d %8d".formatted(rank, oversleep.sleeps()))
          .append(oversleep.row())
          .append('\n');
    }
    text.append('\n');
  }

  @SuppressWarnings("AnnotateFormatMethod") // Private, and every format stands above.
  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
