package dev.tandem.bench.cli;

import dev.tandem.bench.strategies.StrategiesBenchmark;
import dev.tandem.bench.strategies.StrategiesEffort;
import dev.tandem.bench.strategies.StrategiesNetwork;
import dev.tandem.bench.strategies.StrategiesRow;
import dev.tandem.cli.ConsoleProgress;
import dev.tandem.cli.TandemCommand;
import dev.tandem.core.UsageException;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the ways to split a network. */
@Command(
    name = "strategies",
    description = {
      "Trains networks with processes of one thread each that share them in every way: data,"
          + " spatial, filter, channel, alternate, pipeline (8 micro-batches) and sharded; against"
          + " one process with as many threads. All take turns in every round. Prints images per"
          + " second, where the time goes, counted bytes beside those of the formulas, and how far"
          + " parameters are from those of one process after two steps."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench strategies --quick",
      "  ./tandem bench strategies --network resnet18-small --json b.json",
      "  ./tandem bench strategies --ranks 4          more ranks than cores: oversubscribed"
    })
final class BenchStrategiesCommand extends TandemCommand {

  @Option(names = "--quick", description = "Few rounds of short turns.")
  private boolean quick;

  @Option(
      names = "--network",
      paramLabel = "NAME",
      split = ",",
      description = "cifar, resnet18-small, transformer. Default: all.")
  private List<String> networks;

  @Option(
      names = "--ranks",
      paramLabel = "N",
      defaultValue = "2",
      description = "Processes. Default: ${DEFAULT-VALUE}.")
  private int ranks;

  @Override
  protected List<StrategiesRow> run() {
    if (ranks < 2) {
      throw new UsageException("--ranks must be at least 2, not " + ranks);
    }
    List<StrategiesNetwork> chosen =
        networks == null
            ? List.of(StrategiesNetwork.values())
            : networks.stream().map(StrategiesNetwork::of).toList();
    List<StrategiesRow> rows =
        new StrategiesBenchmark(
                chosen,
                ranks,
                quick ? StrategiesEffort.QUICK : StrategiesEffort.FULL,
                ConsoleProgress.system())
            .run();
    print(rows);
    return rows;
  }

  private void print(List<StrategiesRow> rows) {
    out().println(rows.getFirst().machine());
    String section = "";
    for (StrategiesRow row : rows) {
      String title =
          "%s, batch %d, %d ranks%s, medians of %d rounds"
              .formatted(
                  row.network(),
                  row.batch(),
                  row.ranks(),
                  row.oversubscribed() ? " (oversubscribed)" : "",
                  row.rounds());
      if (!title.equals(section)) {
        section = title;
        out()
            .printf(
                "%n%s%n%-10s %9s %8s %9s %11s %9s %8s %8s %12s %12s %9s %7s %10s%n",
                title,
                "strategy",
                "images/s",
                "to data",
                "to serial",
                "compute ms",
                "exchange",
                "sync",
                "idle",
                "counted kB",
                "formula kB",
                "error",
                "bitwise",
                "memory MiB");
      }
      out()
          .printf(
              Locale.ROOT,
              "%-10s %9.1f %8.2f %9.2f %11.1f %9.1f %8.1f %8.1f %12.1f %12.1f %9.1e %7s %10.1f%n",
              row.strategy(),
              row.imagesPerSecond(),
              row.ratioToData(),
              row.ratioToSerial(),
              row.computeSeconds() * 1e3,
              row.exchangeSeconds() * 1e3,
              row.syncSeconds() * 1e3,
              row.idleSeconds() * 1e3,
              row.countedBytes() / 1e3,
              row.closedFormBytes() / 1e3,
              row.maxRelativeError(),
              row.bitwise() ? "yes" : "no",
              (double) row.memoryBytes() / (1 << 20));
    }
    out()
        .printf(
            "%nto data, to serial: images per second over theirs in the same round; serial: one"
                + " process with as many threads as there are ranks; compute, exchange, sync, idle:"
                + " milliseconds of a step, mean of ranks; error: largest difference of parameters"
                + " from those of one process, of the largest value.%n");
  }
}
