package dev.tandem.bench.cli;

import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.Machine;
import dev.tandem.bench.tune.GlyphTraining;
import dev.tandem.bench.tune.QualityVerdict;
import dev.tandem.bench.tune.ThesisStudy;
import dev.tandem.bench.tune.TuneBenchmark;
import dev.tandem.bench.tune.TuneEffort;
import dev.tandem.bench.tune.TuneRow;
import dev.tandem.cli.ConsoleProgress;
import dev.tandem.cli.TandemCommand;
import dev.tandem.core.UsageException;
import dev.tandem.posix.DurableFiles;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
          + " by Tandem and by Optuna, each with several seeds, and the best of 512 recorded"
          + " trainings; measures trials per second of trials that do nothing, the processor time"
          + " of a suggestion, and how much sooner successive halving is good enough. Needs"
          + " python3-optuna and python3-cmaes."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench tune --quick                  a minute",
      "  ./tandem bench tune --json t.json            about 15 minutes",
      "  ./tandem bench tune --only regret --seeds 50",
      "  ./tandem bench tune --study thesis --dir FOLDER"
    })
final class BenchTuneCommand extends TandemCommand {

  private static final List<String> PARTS =
      List.of("overhead", "suggest", "time-to-target", "efficiency", "tracing", "regret");

  @Option(names = "--quick", description = "Few seeds, short studies.")
  private boolean quick;

  @Option(
      names = "--only",
      paramLabel = "PART",
      description =
          "overhead: trials that do nothing; suggest: processor time of suggestions;"
              + " time-to-target: successive halving on recorded trainings; efficiency: programs"
              + " that sleep, on the engines, of which Spark must be built by ./tandem build"
              + " --spark; tracing: studies with and without timeline.json; regret: quality of the"
              + " search.")
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

  @Option(
      names = "--make-table",
      paramLabel = "FILE",
      description =
          "Make the recorded trainings again, as glyph-table.csv of the sources, and measure"
              + " nothing else: a few minutes.")
  private Path table;

  @Option(
      names = "--study",
      paramLabel = "NAME",
      description =
          "thesis: measure nothing but 27 real trainings of the thesis' grid, on all processors"
              + " with and without a trace, on half of them, and with all processors for each;"
              + " their reports stay in --dir.")
  private String study;

  @Override
  protected List<TuneRow> run() {
    if (study != null) {
      return thesis();
    }
    if (table != null) {
      DurableFiles.system()
          .replace(
              table.toAbsolutePath(),
              ByteBuffer.wrap(
                  (String.join("\n", GlyphTraining.table(ConsoleProgress.system())) + "\n")
                      .getBytes(StandardCharsets.UTF_8)));
      return List.of();
    }
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
      if (measures("overhead")) {
        benchmark.overhead();
      }
      if (measures("time-to-target")) {
        benchmark.timeToTarget();
      }
      if (measures("efficiency")) {
        benchmark.efficiency();
      }
      if (measures("tracing")) {
        benchmark.tracing();
      }
      if (measures("suggest")) {
        benchmark.suggest();
      }
      QualityVerdict verdict = measures("regret") ? benchmark.quality() : null;
      print(benchmark.rows());
      if (verdict != null) {
        print(verdict);
      }
      return benchmark.rows();
    }
  }

  private List<TuneRow> thesis() {
    if (!study.equals("thesis")) {
      throw new UsageException("--study is '%s', expected thesis".formatted(study));
    }
    ThesisStudy thesis = new ThesisStudy(dir.resolve("thesis"), ConsoleProgress.system());
    out().println(Machine.describe(dir));
    out().println(thesis.describe());
    List<TuneRow> rows = thesis.run();
    print(rows);
    return rows;
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
