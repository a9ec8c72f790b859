package dev.tandem.bench.cli;

import dev.tandem.bench.servers.ServersBenchmark;
import dev.tandem.bench.servers.ServersEffort;
import dev.tandem.bench.servers.ServersRow;
import dev.tandem.cli.ConsoleProgress;
import dev.tandem.cli.TandemCommand;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures parameter servers. */
@Command(
    name = "servers",
    description = {
      "Trains a small network on drawn digits from a database, on 2 and on 4 ranks, with allreduce"
          + " (policy buckets), with sharded parameter servers, and with servers reached through"
          + " proxies, at several degrees of staleness, while one rank, or each now and then, is"
          + " late. Prints steps per second, bytes moved within and between hosts, and loss and"
          + " accuracy after the same number of samples. All ranks run on this machine: that they"
          + " are on two hosts is a simulated topology, which decides what counts as local and"
          + " global, not how long it takes."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench servers --quick            short turns, 75 s at most",
      "  ./tandem bench servers --rounds 8 --json b.json",
      "  ./tandem bench servers --staleness 0,1,2,4,8   what staleness costs"
    })
final class BenchServersCommand extends TandemCommand {

  @Option(names = "--quick", description = "Short turns and few rounds: at most 75 s.")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Turns of every mode. Default: 5, with --quick 3 or fewer.")
  private Integer rounds;

  @Option(
      names = "--staleness",
      paramLabel = "STEPS",
      split = ",",
      description = "What servers and proxies are tried with. Default: 0,2,8.")
  private List<Integer> staleness;

  @Override
  protected List<ServersRow> run() {
    ServersEffort effort = quick ? ServersEffort.QUICK : ServersEffort.FULL;
    if (rounds != null) {
      effort = effort.withRounds(rounds);
    }
    if (staleness != null) {
      effort = effort.withStaleness(staleness);
    }
    List<ServersRow> rows = new ServersBenchmark(effort, ConsoleProgress.system()).run();
    print(rows);
    return rows;
  }

  private void print(List<ServersRow> rows) {
    out().println(rows.getFirst().machine());
    String section = "";
    for (ServersRow row : rows) {
      String title =
          "%d ranks, %s; %s; after %,d samples, medians of %d rounds"
              .formatted(
                  row.ranks(),
                  row.topology(),
                  row.late().equals("one")
                      ? "the last rank is late in one of four steps"
                      : "every rank is late now and then",
                  row.samples(),
                  row.rounds());
      if (!title.equals(section)) {
        section = title;
        out()
            .printf(
                "%n%s%n%-10s %9s %8s %7s %14s %14s %14s %6s %9s %9s%n",
                title,
                "mode",
                "staleness",
                "steps/s",
                "ratio",
                "95% interval",
                "local kB/step",
                "global kB/step",
                "lag",
                "test loss",
                "accuracy");
      }
      out()
          .printf(
              Locale.ROOT,
              "%-10s %9d %8.1f %7.3f %14s %14.1f %14.1f %6.2f %9.4f %9.4f%s%n",
              row.mode(),
              row.staleness(),
              row.stepsPerSecond(),
              row.ratioToAllreduce(),
              row.rounds() < 2
                  ? "one round"
                  : String.format(Locale.ROOT, "%.3f..%.3f", row.ratioLow(), row.ratioHigh()),
              row.localBytesPerStep() / 1e3,
              row.globalBytesPerStep() / 1e3,
              row.lag(),
              row.testLoss(),
              row.testAccuracy(),
              row.bytes().equals("computed") ? "  bytes computed for a ring" : "");
    }
    out()
        .printf(
            "%nratio: steps per second over those of allreduce in the same round, above 1 is"
                + " faster; lag: steps of the slowest rank that parameters lacked, on average;"
                + " simulated topology: hosts are processes of this machine, bytes between them are"
                + " counted as global.%n");
  }
}
