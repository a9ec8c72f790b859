package dev.tandem.bench.cli;

import dev.tandem.bench.oracle.OracleBenchmark;
import dev.tandem.bench.oracle.OracleResults;
import dev.tandem.bench.oracle.OracleRow;
import dev.tandem.bench.oracle.OracleScore;
import dev.tandem.cli.ConsoleProgress;
import dev.tandem.cli.TandemCommand;
import dev.tandem.core.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Compares projections with what training really takes. */
@Command(
    name = "oracle",
    description = {
      "Projects training runs and then makes them: four networks, two batch sizes, data, spatial,"
          + " filter, channel and pipeline on 2 processes, two hybrids on 4, from a profile that is"
          + " made before. Then projects published measurements of up to 1,024 accelerators, folds"
          + " of which are left out of the calibration. Beside each stands the published model,"
          + " its equations corrected."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench oracle --quick                    5 minutes",
      "  ./tandem bench oracle --json o.json              half an hour",
      "  ./tandem bench oracle --only published"
    })
final class BenchOracleCommand extends TandemCommand {

  private static final String MACHINE = "machine";
  private static final String PUBLISHED = "published";

  @Option(names = "--quick", description = "Few runs, short ones.")
  private boolean quick;

  @Option(
      names = "--only",
      paramLabel = "PART",
      description = "machine: runs of this machine; published: published measurements.")
  private String only;

  @Option(
      names = "--profiles",
      paramLabel = "DIR",
      description =
          "Keep the profiles that are made in this folder, and use those that are there already.")
  private Path profiles;

  @Override
  protected OracleResults run() {
    if (profiles != null && !Files.isDirectory(profiles)) {
      throw new UsageException("--profiles %s is not a folder".formatted(profiles));
    }
    if (only != null && !only.equals(MACHINE) && !only.equals(PUBLISHED)) {
      throw new UsageException("--only is '%s', expected machine or published".formatted(only));
    }
    OracleBenchmark benchmark = new OracleBenchmark(quick, profiles, ConsoleProgress.system());
    OracleResults results =
        new OracleResults(
            PUBLISHED.equals(only) ? null : benchmark.machine(),
            MACHINE.equals(only) ? null : benchmark.published());
    if (results.machine() != null) {
      print(results.machine());
    }
    if (results.published() != null) {
      print(results.published());
    }
    return results;
  }

  private void print(OracleResults.Machine machine) {
    out().println(machine.description());
    out()
        .printf(
            "%-16s %-18s %5s %6s %12s %13s %9s %11s %11s %13s%n",
            "network",
            "strategy",
            "ranks",
            "batch",
            "measured ms",
            "projected ms",
            "accuracy",
            "plain ms",
            "memory MiB",
            "projected MiB");
    for (OracleRow row : machine.rows()) {
      out()
          .printf(
              Locale.ROOT,
              "%-16s %-18s %5d %6d %12.1f %13.1f %8.1f%% %11.1f %11.1f %13.1f%s%n",
              row.network(),
              row.strategy(),
              row.ranks(),
              row.batch(),
              row.measured() * 1e3,
              row.projected() * 1e3,
              row.accuracy(),
              row.plain() * 1e3,
              row.memory() / (double) (1 << 20),
              row.projectedMemory() / (double) (1 << 20),
              row.oversubscribed() ? "  (oversubscribed)" : "");
    }
    scores("this machine", machine.score(), machine.plain());
    out().printf(Locale.ROOT, "largest memory error: %.1f%%%n", machine.largestMemoryError());
  }

  private void print(OracleResults.Published published) {
    scores("published, devices left out", published.leavingOutScales(), published.plain());
    scores("published, networks left out", published.leavingOutModels(), published.plain());
    out().println("not scored:");
    published.notScored().forEach(line -> out().println("  " + line));
  }

  /** Side by side with the published model. */
  private void scores(String title, OracleScore score, OracleScore plain) {
    out().printf(Locale.ROOT, "%n%-30s %12s %14s%n", title, "projected", "plain ParaDL");
    line("overall", score.overall(), plain.overall());
    Map<String, Double> strategies = new TreeMap<>(score.perStrategy());
    strategies.forEach((word, own) -> line(word, own, plain.perStrategy().get(word)));
    line("order right", score.rankingRight(), plain.rankingRight());
    out().printf(Locale.ROOT, "%-30s %11.1f%%%n", "in the band", score.coverage());
  }

  private void line(String what, double own, double plain) {
    out().printf(Locale.ROOT, "%-30s %11.1f%% %13.1f%%%n", what, own, plain);
  }
}
