package dev.tandem.bench.cli;

import dev.tandem.bench.collective.CollectiveBenchmark;
import dev.tandem.bench.collective.CollectiveBenchmark.Effort;
import dev.tandem.bench.collective.CollectiveBenchmark.Selection;
import dev.tandem.bench.collective.CollectiveRow;
import dev.tandem.bench.collective.CollectiveTuning;
import dev.tandem.cli.ConsoleProgress;
import dev.tandem.cli.Patterns;
import dev.tandem.cli.TandemCommand;
import dev.tandem.core.UsageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the collectives. */
@Command(
    name = "collective",
    description = {
      "Measures allreduce from 4 bytes to 64 MiB by Tandem (shared memory and TCP), Open MPI (as it"
          + " comes and with malloc tuned), MPICH and Gloo: the same steps, private memory, fresh"
          + " data for every call. All contenders are started once and take turns at every size;"
          + " medians of rounds. Also: a fused step (pack, allreduce, unpack), a rank that comes 20"
          + " ms late, 4 ranks, and what each level of determinism costs. Needs openmpi-bin,"
          + " libopenmpi-dev, mpich, libmpich-dev and python3-torch."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench collective --quick            a few short turns, a minute",
      "  ./tandem bench collective --rounds 20 --json b.json",
      "  ./tandem bench collective --case 'allreduce 65536' --contender '(openmpi|shm) 4'",
      "  ./tandem bench collective --tune table --ranks 4 --transport tcp",
      "  TANDEM_COLLECTIVE_TABLE=table ./tandem run -n 4 -- CLASS"
    })
final class BenchCollectiveCommand extends TandemCommand {

  @Option(
      names = "--quick",
      description = "Few and short turns, no levels of determinism: about a minute.")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Turns of every contender at every size. Default: 15, with --quick 3.")
  private Integer rounds;

  @Option(
      names = "--case",
      paramLabel = "PATTERN",
      description = "Only operations and bytes with this regular expression: 'allreduce 1024'.")
  private String cases = "";

  @Option(
      names = "--contender",
      paramLabel = "PATTERN",
      description = "Only contenders, with their ranks, that have this regular expression.")
  private String contenders = "";

  @Option(
      names = "--tune",
      paramLabel = "FILE",
      description =
          "Instead of comparing, measure which algorithm of allreduce is fastest at which length"
              + " and write the table to FILE, for TANDEM_COLLECTIVE_TABLE.")
  private Path tune;

  @Option(
      names = "--ranks",
      paramLabel = "N",
      defaultValue = "2",
      description = "Ranks to tune for. Default: ${DEFAULT-VALUE}")
  private int ranks;

  @Option(
      names = "--transport",
      paramLabel = "T",
      defaultValue = "tcp",
      description = "Transport to tune for: shm or tcp. Default: ${DEFAULT-VALUE}")
  private String transport;

  @Override
  protected Object run() {
    if (tune != null) {
      if (ranks < 2) {
        throw new UsageException("--ranks must be at least 2");
      }
      CollectiveTuning.run(ranks, transport, tune);
      out().println("table written to " + tune);
      return Map.of("table", tune.toString());
    }
    return compare();
  }

  private List<CollectiveRow> compare() {
    Effort effort = quick ? Effort.QUICK : Effort.FULL;
    if (rounds != null) {
      if (rounds < 1) {
        throw new UsageException("--rounds must be at least 1");
      }
      effort = effort.withRounds(rounds);
    }
    Selection selection =
        new Selection(
            Patterns.of("--case", cases).asPredicate(),
            Patterns.of("--contender", contenders).asPredicate());
    List<CollectiveRow> rows =
        new CollectiveBenchmark(effort, selection, ConsoleProgress.system()).run();
    if (rows.isEmpty()) {
      throw new UsageException("no contender does what --case and --contender select");
    }
    print(rows);
    return rows;
  }

  private void print(List<CollectiveRow> rows) {
    out().println(rows.getFirst().machine());
    out()
        .printf(
            "medians of %d rounds, microseconds of the slowest rank%n", rows.getFirst().rounds());
    String section = "";
    for (CollectiveRow row : rows) {
      String title = "%s, %d ranks".formatted(row.op(), row.ranks());
      if (!title.equals(section)) {
        out()
            .printf(
                "%n%s%n%-14s %10s %12s %24s %8s %8s %8s  %s%n",
                title,
                "contender",
                "bytes",
                "median",
                "least..most",
                "to MPI",
                "to Gloo",
                "limit",
                "waiting uses");
        section = title;
      }
      out()
          .printf(
              Locale.ROOT,
              "%-14s %,10d %,12.2f %24s %8s %8s %8s  %s%n",
              row.peer(),
              row.bytes(),
              row.medianMicros(),
              String.format(Locale.ROOT, "%,.2f..%,.2f", row.leastMicros(), row.mostMicros()),
              factor(row.ratioToBestMpi()),
              factor(row.ratioToGloo()),
              percent(row.limitShare()),
              percent(row.waiterCoreShare()));
    }
    out()
        .printf(
            "%nto MPI: the best MPI setting's time over this one's, above 1 is faster; limit: the"
                + " time in which all ranks copy as many bytes, over this one's.%n");
  }

  private static String factor(double ratio) {
    return ratio == 0 ? "" : String.format(Locale.ROOT, "%.2fx", ratio);
  }

  private static String percent(double share) {
    return share == 0 ? "" : String.format(Locale.ROOT, "%.1f%%", share * 100);
  }
}
