package dev.tandem.bench.cli;

import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.Machine;
import dev.tandem.bench.tune.QualityVerdict;
import dev.tandem.bench.tune.TuneBenchmark;
import dev.tandem.bench.tune.TuneEffort;
import dev.tandem.bench.tune.TuneRow;
import dev.tandem.cli.ConsoleProgress;
import dev.tandem.cli.TandemCommand;
import dev.tandem.core.UsageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Compares the search for hyperparameters with Optuna's. */
@Command(
    name = "tune",
    description = {
      "Searches the minima of ten functions, five of which the default sampler was not chosen on,"
          + " by Tandem and by Optuna, each with several seeds; measures the processor time of a"
          + " suggestion. Needs python3-optuna."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench tune --quick                  a minute",
      "  ./tandem bench tune --json t.json            about 15 minutes",
      "  ./tandem bench tune --only regret --seeds 50"
    })
final class BenchTuneCommand extends TandemCommand {

  private static final List<String> PARTS = List.of("regret", "suggest", "efficiency");

  @Option(names = "--quick", description = "Few seeds, short studies.")
  private boolean quick;

  @Option(
      names = "--only",
      paramLabel = "PART",
      description =
          "regret: quality of the search; suggest: processor time of suggestions;"
              + " efficiency: programs that sleep, on the engines, of which Spark must be built by"
              + " ./tandem build --spark.")
  private String only;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      description = "Studies of each function and side. Default: 20, with --quick 3.")
  private Integer seeds;

  @Option(
      names = "--dir",
      paramLabel = "FOLDER",
      defaultValue = ".",
      description = "Where files are made, and removed again. Default: the current folder.")
  private Path dir;

  @Override
  protected List<TuneRow> run() {
    if (only != null && !PARTS.contains(only)) {
      throw new UsageException(
          "--only is '%s', expected one of %s".formatted(only, String.join(", ", PARTS)));
    }
    if (seeds != null && seeds < 2) {
      throw new UsageException("--seeds is %d, expected 2 or more".formatted(seeds));
    }
    TuneEffort effort = quick ? TuneEffort.QUICK : TuneEffort.FULL;
    if (seeds != null) {
      effort = effort.withSeeds(seeds);
    }
    out().println(Machine.describe(dir));
    try (BenchFolder folder = BenchFolder.in(dir)) {
      TuneBenchmark benchmark =
          new TuneBenchmark(effort, folder, ConsoleProgress.system(), this::save);
      if (measures("suggest")) {
        benchmark.suggest();
      }
      if (measures("efficiency")) {
        benchmark.efficiency();
      }
      QualityVerdict verdict = measures("regret") ? benchmark.quality() : null;
      print(benchmark.rows());
      if (verdict != null) {
        print(verdict);
      }
      return benchmark.rows();
    }
  }

  private boolean measures(String part) {
    return only == null || only.equals(part);
  }

  private void print(List<TuneRow> rows) {
    out().printf("%-16s %-44s %12s %12s %8s%n", "measure", "case", "tandem", "peer", "ratio");
    for (TuneRow row : rows) {
      out()
          .printf(
              Locale.ROOT,
              "%-16s %-44s %12.4g %12s %8s%s%n",
              row.measure(),
              row.name(),
              row.tandem(),
              row.peer() == null ? "" : String.format(Locale.ROOT, "%.4g", row.peer()),
              row.ratio() == null ? "" : String.format(Locale.ROOT, "%.3g", row.ratio()),
              row.peerFailed() ? "  (the peer lost trials)" : "");
    }
  }

  private void print(QualityVerdict verdict) {
    out()
        .printf(
            Locale.ROOT,
            "regret: geometric mean of the ratios %.2f (%.2f..%.2f), significantly worse: %s; %s%n",
            verdict.mean().median(),
            verdict.mean().low(),
            verdict.mean().high(),
            verdict.worse().isEmpty() ? "none" : String.join(", ", verdict.worse()),
            verdict.passed() ? "as good as the peer" : "NOT as good as the peer");
  }
}
