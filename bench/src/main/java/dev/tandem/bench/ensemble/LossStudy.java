package dev.tandem.bench.ensemble;

import dev.tandem.core.Progress;
import dev.tandem.ensemble.Pipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Whether the others still get every image once when one member leaves early, or is killed, or a
 * process that prepares images is killed; with batches of different sizes.
 */
final class LossStudy {

  private static final int MEMBERS = 3;
  private static final int PASSES = 3;

  /** Members, two processes that only prepare, and one that takes the place of a lost one. */
  private static final int PROCESSES = MEMBERS + 3;

  /** When a process is killed: the others are in the middle of their passes. */
  private static final long UNTIL_LOSS_NANOS = 700_000_000;

  private static final double RATE = 0.3;
  private static final Pipeline BROADCAST = new Pipeline.MultiBroadcast(2);

  /** What happens to one of the processes. */
  private enum Loss {
    NONE("batches of 8, 12 and 16"),
    EARLY_EXIT("a member leaves after one pass"),
    MEMBER_KILLED("kill -9 of a member that prepares images, too"),
    PREPROCESSOR_KILLED("kill -9 of a process that only prepares images, which is replaced");

    private final String text;

    Loss(String text) {
      this.text = text;
    }
  }

  private final MemberPool pool;
  private final double rate;
  private final Progress progress;

  LossStudy(MemberPool pool, double prepared, Progress progress) {
    this.pool = pool;
    this.rate = RATE * prepared;
    this.progress = progress;
  }

  List<EnsembleRow> run(String machine) {
    pool.grow(PROCESSES, progress);
    List<EnsembleRow> rows = new ArrayList<>();
    List<Pipeline> shared =
        List.of(new Pipeline.AllShared(), new Pipeline.SingleBroadcast(2), BROADCAST);
    try (Progress.Task task = progress.start("lost members", 11, "cases")) {
      for (Pipeline pipeline : shared) {
        rows.add(row(pipeline, Loss.NONE, true, machine));
        task.advanceTo(rows.size());
      }
      for (boolean together : List.of(false, true)) {
        rows.add(row(new Pipeline.AllShared(), Loss.EARLY_EXIT, together, machine));
        rows.add(row(new Pipeline.AllShared(), Loss.MEMBER_KILLED, together, machine));
        rows.add(row(BROADCAST, Loss.PREPROCESSOR_KILLED, together, machine));
        rows.add(row(new Pipeline.SingleBroadcast(2), Loss.PREPROCESSOR_KILLED, together, machine));
        task.advanceTo(rows.size());
      }
    }
    return rows;
  }

  private EnsembleRow row(Pipeline pipeline, Loss loss, boolean together, String machine) {
    List<MemberReport> reports = left(requests(pipeline, loss, together), loss);
    boolean exact =
        reports.stream().allMatch(report -> report.exact() && report.passes() >= PASSES);
    long alone = reports.stream().mapToLong(MemberReport::alone).sum();
    return new EnsembleRow(
        "exact",
        pipeline.word(),
        MEMBERS,
        "0.30",
        null,
        null,
        null,
        reports.stream().mapToDouble(MemberReport::imagesPerSecond).average().orElseThrow(),
        null,
        0,
        exact,
        1,
        "%s, %s; %,d images prepared for one alone"
            .formatted(loss.text, together ? "side by side" : "own paces", alone),
        machine);
  }

  private List<MemberRequest> requests(Pipeline pipeline, Loss loss, boolean together) {
    List<MemberRequest> requests = new ArrayList<>();
    long images = (long) PASSES * EnsembleImages.COUNT;
    for (MemberRequest request : pool.requests(pipeline, MEMBERS, 0, images)) {
      int batch = 8 + 4 * Math.min(request.member(), 2);
      requests.add(request.withRate(rate).withTogether(together).withBatch(batch));
    }
    if (loss == Loss.EARLY_EXIT) {
      requests.set(0, requests.getFirst().withImages(0, EnsembleImages.COUNT));
    }
    return requests;
  }

  /** What the members measured that are left. */
  private List<MemberReport> left(List<MemberRequest> requests, Loss loss) {
    List<MemberProcess> own = new ArrayList<>(pool.first(requests.size()));
    for (int i = 0; i < own.size(); i++) {
      own.get(i).begin(requests.get(i));
    }
    int lost = loss == Loss.PREPROCESSOR_KILLED ? own.size() - 1 : 0;
    MemberProcess process = own.get(lost);
    switch (loss) {
      case NONE -> {
        return MemberPool.end(own, requests).members();
      }
      case EARLY_EXIT -> {
        var _ = process.report();
        process.leave();
        process.awaitLeft();
      }
      case MEMBER_KILLED, PREPROCESSOR_KILLED -> {
        LockSupport.parkNanos(UNTIL_LOSS_NANOS);
        process.kill();
      }
    }
    own.remove(lost);
    List<MemberRequest> others = new ArrayList<>(requests);
    MemberRequest request = others.remove(lost);
    if (loss == Loss.PREPROCESSOR_KILLED) {
      // As `tandem ensemble` does it: another process takes over its part.
      own.add(pool.first(PROCESSES).getLast());
      own.getLast().begin(request);
      others.add(request);
    }
    List<MemberReport> reports = MemberPool.end(own, others).members();
    if (loss != Loss.EARLY_EXIT) {
      pool.replace(lost, progress);
    }
    return reports;
  }
}
