package dev.tandem.bench.cli;

import dev.tandem.bench.gpu.GpuTrainBenchmark;
import dev.tandem.bench.gpu.GpuTrainRow;
import java.io.PrintWriter;
import java.util.Locale;

/** What {@code tandem bench train --device cuda} prints. */
record GpuTrainTable(GpuTrainBenchmark.Outcome outcome) {

  void print(PrintWriter out) {
    if (outcome.missing() != null) {
      out.println("not compared with PyTorch: " + outcome.missing());
    }
    if (outcome.losses() != null) {
      out.println(outcome.losses().text());
    }
    if (outcome.rows().isEmpty()) {
      return;
    }
    GpuTrainRow first = outcome.rows().getFirst();
    out.println(first.machine());
    out.printf("medians of %d rounds, images/s%n", first.rounds());
    out.printf(
        "%-9s %-9s %5s %12s %12s %12s %13s %7s %12s%n",
        "network",
        "precision",
        "batch",
        "graph: auto",
        "graph: none",
        "torch eager",
        "torch.compile",
        "ratio",
        "");
    for (GpuTrainRow row : outcome.rows()) {
      if (!row.what().equals("eager")) {
        out.printf(
            Locale.ROOT,
            "%-9s %-9s %5d "
                + (row.what().equals("exchange")
                    ? "two ranks on one GPU: their exchange makes"
                    : "a copy of the state for a checkpoint after every tenth step makes")
                + " a step %.1f%% longer (%.1f%%..%.1f%%)%n",
            row.network(),
            row.precision(),
            row.batch(),
            100 * (row.ratio() - 1),
            100 * (row.leastRatio() - 1),
            100 * (row.mostRatio() - 1));
      } else {
        out.printf(
            Locale.ROOT,
            "%-9s %-9s %5d %12s %12s %12s %13s %6.2fx %12s%n",
            row.network(),
            row.precision(),
            row.batch(),
            speed(row.graph()),
            speed(row.eager()),
            speed(row.torch()),
            speed(row.compiled()),
            row.ratio(),
            String.format(Locale.ROOT, "%.2f..%.2f", row.leastRatio(), row.mostRatio()));
      }
    }
  }

  private static String speed(double imagesPerSecond) {
    return imagesPerSecond == 0 ? "-" : String.format(Locale.ROOT, "%,.0f", imagesPerSecond);
  }
}
