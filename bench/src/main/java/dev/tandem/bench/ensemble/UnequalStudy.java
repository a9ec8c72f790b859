package dev.tandem.bench.ensemble;

import static java.util.stream.Collectors.joining;

import dev.tandem.core.Progress;
import dev.tandem.ensemble.Pipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Members of speeds 1:2:5, each at its own pace, beside the same side by side. */
final class UnequalStudy {

  private static final double[] SPEEDS = {1, 2, 5};

  /** Of the fastest, as a share of what one process prepares. */
  private static final double FASTEST = 0.6;

  private static final int PASSES = 4;

  private final MemberPool pool;
  private final double fastest;
  private final Progress progress;

  UnequalStudy(MemberPool pool, double prepared, Progress progress) {
    this.pool = pool;
    this.fastest = FASTEST * prepared;
    this.progress = progress;
  }

  List<EnsembleRow> run(String machine) {
    try (Progress.Task task = progress.start("unequal members", 3, "cases")) {
      double solo = pool.run(requests(1, false)).imagesPerSecond();
      task.advanceTo(1);
      List<MemberReport> own = pool.run(requests(SPEEDS.length, false)).members();
      task.advanceTo(2);
      List<MemberReport> lockstep = pool.run(requests(SPEEDS.length, true)).members();
      task.advanceTo(3);
      List<EnsembleRow> rows = new ArrayList<>();
      rows.add(
          row(
              own.getLast().imagesPerSecond(),
              own.getLast().imagesPerSecond() / solo,
              own,
              "fastest of 1:2:5 at its own pace; ratio: to the same member alone",
              machine));
      rows.add(
          row(
              null,
              mean(own) / mean(lockstep),
              own,
              String.format(
                  Locale.ROOT,
                  "end after %s, ratio: to %s side by side; %,d images prepared for one alone",
                  seconds(own),
                  seconds(lockstep),
                  own.stream().mapToLong(MemberReport::alone).sum()),
              machine));
      long memory = own.stream().mapToLong(MemberReport::memory).max().orElseThrow();
      rows.add(
          row(
              null,
              (double) memory / MemberPool.MEMORY,
              own,
              "%,d bytes of memory; ratio: to %,d that are configured"
                  .formatted(memory, MemberPool.MEMORY),
              machine));
      return rows;
    }
  }

  /** The fastest alone, or all; of different batch sizes. */
  private List<MemberRequest> requests(int members, boolean together) {
    List<MemberRequest> requests = new ArrayList<>();
    int first = SPEEDS.length - members;
    List<MemberRequest> shared =
        pool.requests(new Pipeline.AllShared(), members, 0, (long) PASSES * EnsembleImages.COUNT);
    for (int i = 0; i < members; i++) {
      double rate = fastest * SPEEDS[first + i] / SPEEDS[SPEEDS.length - 1];
      requests.add(
          shared
              .get(i)
              .withRate(rate)
              .withBatch((first + i) % 2 == 0 ? 8 : 16)
              .withTogether(together));
    }
    return requests;
  }

  private static String seconds(List<MemberReport> reports) {
    return reports.stream()
            .map(report -> String.format(Locale.ROOT, "%.1f", report.seconds()))
            .collect(joining(", "))
        + " s";
  }

  private static double mean(List<MemberReport> reports) {
    return reports.stream().mapToDouble(MemberReport::seconds).average().orElseThrow();
  }

  private static EnsembleRow row(
      Double rate, double ratio, List<MemberReport> reports, String note, String machine) {
    return new EnsembleRow(
        "unequal",
        new Pipeline.AllShared().word(),
        SPEEDS.length,
        "1:2:5",
        null,
        null,
        null,
        rate,
        ratio,
        0,
        reports.stream().allMatch(MemberReport::exact),
        1,
        note,
        machine);
  }
}
