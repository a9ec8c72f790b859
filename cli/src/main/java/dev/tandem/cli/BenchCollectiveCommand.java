package dev.tandem.cli;

import dev.tandem.bench.CollectiveBenchmark;
import dev.tandem.bench.CollectiveRow;
import dev.tandem.bench.CollectiveTuning;
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
          + " data for every call. Contenders take turns in fresh processes; medians of rounds."
          + " Also: a fused step (pack, allreduce, unpack), a rank that comes 20 ms late, 4 ranks,"
          + " and what each level of determinism costs. Needs openmpi-bin, libopenmpi-dev, mpich,"
          + " libmpich-dev and python3-torch."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench collective --quick            one short round, a minute",
      "  ./tandem bench collective --rounds 5 --json b.json",
      "  ./tandem bench collective --tune table --ranks 4 --transport tcp",
      "  TANDEM_COLLECTIVE_TABLE=table ./tandem run -n 4 -- CLASS"
    })
final class BenchCollectiveCommand extends TandemCommand {

  @Option(names = "--quick", description = "One short round: shows that it works, proves little.")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Runs of every contender. Default: 5, with --quick 1.")
  private Integer rounds;

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
    int count = rounds != null ? rounds : quick ? 1 : 5;
    if (count < 1) {
      throw new UsageException("--rounds must be at least 1");
    }
    List<CollectiveRow> rows =
        new CollectiveBenchmark(count, quick ? 0.05 : 0.5, ConsoleProgress.system()).run();
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
                "who",
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
