package dev.tandem.bench.tune;

import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.Children;
import dev.tandem.bench.Spread;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What the trace of a study costs: the time of {@code tandem tune} with and without it. */
final class TracingCase {

  private static final int ROUNDS = 3;
  private static final int WORKERS = 4;

  private final BenchFolder folder;
  private final ScalingCase sleeps;
  private int made;

  TracingCase(BenchFolder folder, ScalingCase sleeps) {
    this.folder = folder;
    this.sleeps = sleeps;
  }

  TuneRow row() {
    Path study = folder.path().resolve("tracing.yaml");
    try {
      Files.writeString(
          study,
          """
          space: {x: {float: [0, 1]}}
          objective: {command: [sh, -c, "sleep %s; echo '{\"value\": {x}}'"]}
          sampler: random
          needs: {cores: 0}
          workers: %d
          trials: %d
          """
              .formatted(sleeps.seconds(), WORKERS, sleeps.sleeps()));
    } catch (IOException e) {
      throw FileErrors.failure("write", study, e);
    }
    List<Double> with = new ArrayList<>();
    List<Double> without = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      boolean first = round % 2 == 0;
      (first ? with : without).add(seconds(study, first));
      (first ? without : with).add(seconds(study, !first));
    }
    return TuneRow.of(
        "tracing",
        "%d sleeps of %.1f s, %d workers, seconds of the command with and without"
            .formatted(sleeps.sleeps(), sleeps.seconds(), WORKERS),
        Spread.of(with).median(),
        Spread.of(without).median());
  }

  private double seconds(Path study, boolean trace) {
    return Children.run(
            Children.javaCommand(
                Children.shortFlags(),
                ThesisStudy.MAIN,
                List.of(
                    "tune",
                    study,
                    "--runs",
                    folder.path().resolve("runs"),
                    "--name",
                    "tracing-" + made++,
                    "--set",
                    "trace=" + trace)))
        .seconds();
  }
}
