package dev.tandem.bench.cli;

import dev.tandem.bench.Spread;
import dev.tandem.bench.batch.BatchBenchmark;
import dev.tandem.bench.batch.BatchBenchmark.Effort;
import dev.tandem.bench.batch.BatchComparison;
import dev.tandem.bench.batch.BatchRow;
import dev.tandem.cli.ConsoleProgress;
import dev.tandem.cli.TandemCommand;
import dev.tandem.core.UsageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what the size of a batch costs. */
@Command(
    name = "batch",
    description = {
      "Trains LeNet on Fashion-MNIST to a target accuracy with batches from 32 to 16,384 (learning"
          + " rate in proportion, warm-up, LARS from 4096 on) and, several times in turn, with a"
          + " batch that grows while it trains and with the fixed small one; says how many epochs"
          + " and how much time each takes, and the largest batch that is worthwhile: the next one"
          + " takes more than twice the epochs. Needs dataset-fashion-mnist."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench batch --quick                 a part of the data, two minutes",
      "  ./tandem bench batch --json b.json           all of it, about 25 minutes",
      "  ./tandem bench batch --target 0.9 --data FOLDER"
    })
final class BenchBatchCommand extends TandemCommand {

  @Option(
      names = "--quick",
      description = "Fewer samples and sizes and a lower target: about two minutes.")
  private boolean quick;

  @Option(
      names = "--target",
      paramLabel = "SHARE",
      description = "Accuracy to reach on the test set. Default: 0.89, with --quick 0.84.")
  private Double target;

  @Option(
      names = "--pairs",
      paramLabel = "N",
      description =
          "How often the growing batch is compared with the fixed small one, each time with another"
              + " seed. Default: 4, with --quick 3.")
  private Integer pairs;

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      defaultValue = "/usr/share/datasets/fashion-mnist",
      description = "Fashion-MNIST, its four files. Default: ${DEFAULT-VALUE}")
  private Path data;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads that compute. Default: one for each processor.")
  private Integer threads;

  @Override
  protected Object run() {
    Effort effort = quick ? Effort.QUICK : Effort.FULL;
    if (target != null) {
      effort = effort.withTarget(target);
    }
    if (pairs != null) {
      effort = effort.withPairs(pairs);
    }
    if (threads != null && threads < 1) {
      throw new UsageException("--threads must be at least 1");
    }
    int count = threads == null ? Runtime.getRuntime().availableProcessors() : threads;
    List<BatchRow> rows =
        new BatchBenchmark(effort, data, count, ConsoleProgress.system()).run(this::save);
    print(rows);
    return rows;
  }

  private void print(List<BatchRow> rows) {
    BatchRow first = rows.getFirst();
    out().println(first.machine());
    out()
        .printf(
            Locale.ROOT,
            "LeNet on %s%,d samples of Fashion-MNIST to an accuracy of %.3f%n",
            quick ? "only " : "",
            first.samples(),
            first.target());
    out()
        .printf(
            "%-7s %14s %5s %9s %7s %9s %10s %9s  %s%n",
            "policy",
            "batch",
            "seed",
            "optimizer",
            "epochs",
            "steps",
            "seconds",
            "accuracy",
            "worthwhile");
    for (BatchRow row : rows) {
      out()
          .printf(
              Locale.ROOT,
              "%-7s %14s %5d %9s %7s %,9d %,10.1f %9.4f  %s%n",
              row.policy(),
              row.batch() == row.lastBatch()
                  ? String.format(Locale.ROOT, "%,d", row.batch())
                  : String.format(Locale.ROOT, "%,d..%,d", row.batch(), row.lastBatch()),
              row.seed(),
              row.optimizer(),
              String.format(Locale.ROOT, row.reached() ? "%.1f" : "> %.1f", row.epochs()),
              row.steps(),
              row.seconds(),
              row.accuracy(),
              row.reached() ? (row.worthwhile() ? "yes" : "") : "not reached");
    }
    out()
        .println(
            BatchBenchmark.largestWorthwhile(rows)
                .map(
                    row -> String.format(Locale.ROOT, "largest worthwhile batch: %,d", row.batch()))
                .orElse("no batch reached the target"));
    compare(rows);
  }

  /** The batch that grows beside the fixed one that it begins with. */
  private void compare(List<BatchRow> rows) {
    BatchComparison.of(rows)
        .ifPresentOrElse(
            comparison ->
                out()
                    .printf(
                        Locale.ROOT,
                        "growing from %d to the fixed batch of %d, %d of %d pairs of trials:"
                            + " time %s, epochs %s, steps %s%n",
                        comparison.batch(),
                        comparison.batch(),
                        comparison.pairs(),
                        comparison.tried(),
                        text(comparison.time()),
                        text(comparison.epochs()),
                        text(comparison.steps())),
            () -> out().println("no pair of trials reached the target: nothing to compare"));
  }

  private static String text(Spread spread) {
    return String.format(
        Locale.ROOT, "%.2f (%.2f..%.2f)", spread.median(), spread.least(), spread.most());
  }
}
