package dev.tandem.bench.ensemble;

import dev.tandem.core.Progress;
import dev.tandem.data.share.ShareWatch;
import dev.tandem.ensemble.Pipeline;
import dev.tandem.ensemble.drive.AdaptivePipeline;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Whether the adaptive pipeline follows members that become five times as fast. */
final class AdaptiveStudy {

  private static final int MEMBERS = 2;
  private static final int PASSES = 4;

  /** At first, as a share of what one process prepares; one thread suffices. */
  private static final double RATE = 0.3;

  private static final double FASTER = 5;
  private static final long LOOK_NANOS = 250_000_000;

  private final MemberPool pool;
  private final double rate;
  private final Progress progress;

  AdaptiveStudy(MemberPool pool, double prepared, Progress progress) {
    this.pool = pool;
    this.rate = RATE * prepared;
    this.progress = progress;
  }

  List<EnsembleRow> run(String machine) {
    List<String> choices = new ArrayList<>();
    List<MemberRequest> requests =
        pool
            .requests(new Pipeline.AllShared(), MEMBERS, 0, (long) PASSES * EnsembleImages.COUNT)
            .stream()
            .map(request -> request.withRate(rate).withLater(FASTER * rate).withTogether(false))
            .toList();
    MemberPool.Measured measured;
    try (Progress.Task task = progress.start("adaptive pipeline", 1, "cases")) {
      List<MemberProcess> own = pool.first(MEMBERS);
      for (int i = 0; i < MEMBERS; i++) {
        own.get(i).begin(requests.get(i));
      }
      choose(Path.of(requests.getFirst().share()), own, choices);
      measured = MemberPool.end(own, requests);
      task.advanceTo(1);
    }
    return List.of(
        new EnsembleRow(
            "adaptive",
            new Pipeline.Adaptive().word(),
            MEMBERS,
            "0.30 to 1.50",
            null,
            null,
            null,
            measured.imagesPerSecond(),
            null,
            0,
            measured.exact(),
            1,
            choices.size() + " choices: " + String.join("; ", choices),
            machine));
  }

  /** As the driver of an ensemble does, until a member has taken all it was to take. */
  private static void choose(Path share, List<MemberProcess> members, List<String> choices) {
    AdaptivePipeline pipeline = new AdaptivePipeline(choices::add);
    Optional<ShareWatch> watch = Optional.empty();
    while (members.stream().noneMatch(MemberProcess::answered)) {
      LockSupport.parkNanos(LOOK_NANOS);
      if (watch.isEmpty()) {
        watch = ShareWatch.open(share);
      }
      watch.ifPresent(there -> there.limitThreads(pipeline.choose(there.status()).preprocessors()));
    }
    watch.ifPresent(ShareWatch::close);
  }
}
