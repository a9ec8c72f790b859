package dev.tandem.bench.cli;

import dev.tandem.bench.strategies.StrategiesBenchmark;
import dev.tandem.bench.strategies.StrategiesEffort;
import dev.tandem.bench.strategies.StrategiesNetwork;
import dev.tandem.bench.strategies.StrategiesRow;
import dev.tandem.cli.ConsoleProgress;
import dev.tandem.cli.TandemCommand;
import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the ways to split a network. */
@Command(
    name = "strategies",
    description = {
      "Trains networks with processes of one thread each that share them in every way: data,"
          + " spatial, filter, channel, alternate, pipeline (8 micro-batches) and sharded; against"
          + " one process with as many threads. All take turns in every round. Prints images per"
          + " second, where the time goes, counted bytes and memory beside those of the formulas,"
          + " and how far parameters are from those of one process after two steps; then what each"
          + " layer takes."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench strategies --quick",
      "  ./tandem bench strategies --network resnet18-small --json b.json",
      "  ./tandem bench strategies --ranks 4          more ranks than cores: oversubscribed"
    })
final class BenchStrategiesCommand extends TandemCommand {

  /** The share of a step from which on a layer is printed. */
  private static final double LONG = 0.02;

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
    Map<String, List<StrategiesRow>> networks = new LinkedHashMap<>();
    rows.forEach(row -> networks.computeIfAbsent(row.network(), _ -> new ArrayList<>()).add(row));
    networks.values().forEach(this::printNetwork);
    out()
        .printf(
            "%nto data, to serial: images per second over theirs in the same round; serial: one"
                + " process with as many threads as there are ranks; compute to idle: milliseconds"
                + " of a step, mean of ranks; error: largest difference of parameters from those of"
                + " one process after 2 steps, of the largest value of a tensor, computed in"
                + " float64 and in float32, there with smooth activations and means in the place of"
                + " maxima, since at kinks rounding becomes a jump; bitwise: in float32, of the"
                + " network as it is; peak: tensors of the rank that needs most; by layer:"
                + " milliseconds of a step that it computes + those for what travels (copies and"
                + " waiting), of the ranks that it takes longest.%n");
  }

  private void printNetwork(List<StrategiesRow> rows) {
    StrategiesRow first = rows.getFirst();
    out()
        .printf(
            "%n%s, batch %d, %d ranks%s, medians of %d rounds%n",
            first.network(),
            first.batch(),
            first.ranks(),
            first.oversubscribed() ? " (oversubscribed)" : "",
            first.rounds());
    out()
        .printf(
            "%-10s %9s %8s %9s %11s %9s %7s %7s %7s %11s %11s %9s %9s %8s %9s %11s%n",
            "strategy",
            "images/s",
            "to data",
            "to serial",
            "compute ms",
            "exchange",
            "copy",
            "sync",
            "idle",
            "counted kB",
            "formula kB",
            "error 64",
            "error 32",
            "bitwise",
            "peak MiB",
            "formula MiB");
    for (StrategiesRow row : rows) {
      out()
          .printf(
              Locale.ROOT,
              "%-10s %9.1f %8.2f %9.2f %11.1f %9.1f %7.1f %7.1f %7.1f %11.1f %11.1f %9.1e %9.1e"
                  + " %8s %9.1f %11.1f%n",
              row.strategy(),
              row.imagesPerSecond(),
              row.ratioToData(),
              row.ratioToSerial(),
              row.computeSeconds() * 1e3,
              row.exchangeSeconds() * 1e3,
              row.copySeconds() * 1e3,
              row.syncSeconds() * 1e3,
              row.idleSeconds() * 1e3,
              row.countedBytes() / 1e3,
              row.closedFormBytes() / 1e3,
              row.maxRelativeError(),
              row.float32RelativeError(),
              row.bitwise() ? "yes" : "no",
              (double) row.peakBytes() / (1 << 20),
              (double) row.closedFormPeakBytes() / (1 << 20));
    }
    printLayers(rows);
  }

  /** Of the layers that take long under some strategy; all are in the results. */
  private void printLayers(List<StrategiesRow> rows) {
    int left = 0;
    int layers = rows.getFirst().layers().size();
    StringBuilder heading = new StringBuilder("%-16s".formatted("layer"));
    rows.forEach(row -> heading.append(" %13s".formatted(row.strategy())));
    out().printf("%n%s%n", heading);
    for (int i = 0; i < layers; i++) {
      int layer = i;
      if (rows.stream()
          .noneMatch(row -> row.layers().get(layer).seconds() > LONG * row.stepSeconds())) {
        left++;
        continue;
      }
      StringBuilder line =
          new StringBuilder("%-16s".formatted(rows.getFirst().layers().get(i).layer()));
      for (StrategiesRow row : rows) {
        StrategiesRow.Layer each = row.layers().get(i);
        double travels = each.copySeconds() + each.waitSeconds();
        String cell = String.format(Locale.ROOT, "%.1f", each.computeSeconds() * 1e3);
        if (travels != 0) {
          cell += String.format(Locale.ROOT, " + %.1f", travels * 1e3);
        }
        line.append(" %13s".formatted(cell));
      }
      out().println(line);
    }
    if (left > 0) {
      out().printf("and %d layers of less than %.0f%% of a step%n", left, LONG * 100);
    }
  }
}
