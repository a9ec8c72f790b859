package dev.tandem.cli;

import dev.tandem.bench.batch.BatchBenchmark;
import dev.tandem.bench.batch.BatchBenchmark.Effort;
import dev.tandem.bench.batch.BatchRow;
import dev.tandem.core.UsageException;
import dev.tandem.train.batch.BatchSizings;
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
          + " rate in proportion, warm-up, LARS from 4096 on) and with a batch that grows while it"
          + " trains; says how many epochs and how much time each takes, and the largest batch that"
          + " is worthwhile: the next one takes more than twice the epochs. Needs"
          + " dataset-fashion-mnist."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench batch --quick                 a part of the data, a minute",
      "  ./tandem bench batch --json b.json           all of it, up to 25 minutes",
      "  ./tandem bench batch --target 0.9 --data FOLDER"
    })
final class BenchBatchCommand extends TandemCommand {

  @Option(
      names = "--quick",
      description = "Fewer samples and sizes and a lower target: about a minute.")
  private boolean quick;

  @Option(
      names = "--target",
      paramLabel = "SHARE",
      description = "Accuracy to reach on the test set. Default: 0.89, with --quick 0.80.")
  private Double target;

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
    if (threads != null && threads < 1) {
      throw new UsageException("--threads must be at least 1");
    }
    int count = threads == null ? Runtime.getRuntime().availableProcessors() : threads;
    List<BatchRow> rows = new BatchBenchmark(effort, data, count, ConsoleProgress.system()).run();
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
            "%-7s %14s %9s %7s %9s %10s %9s  %s%n",
            "policy", "batch", "optimizer", "epochs", "steps", "seconds", "accuracy", "worthwhile");
    for (BatchRow row : rows) {
      out()
          .printf(
              Locale.ROOT,
              "%-7s %14s %9s %7s %,9d %,10.1f %9.4f  %s%n",
              row.policy(),
              row.batch() == row.lastBatch()
                  ? String.format(Locale.ROOT, "%,d", row.batch())
                  : String.format(Locale.ROOT, "%,d..%,d", row.batch(), row.lastBatch()),
              row.optimizer(),
              row.reached() ? Integer.toString(row.epochs()) : "> " + row.epochs(),
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
    BatchRow grown = rows.getLast();
    if (grown.lastBatch() == grown.batch()) {
      out().println("the growing batch did not grow before the end: nothing to compare");
      return;
    }
    rows.stream()
        .filter(row -> row.policy().equals(BatchSizings.FIXED) && row.batch() == grown.batch())
        .filter(row -> row.reached() && grown.reached())
        .findFirst()
        .ifPresent(
            fixed ->
                out()
                    .printf(
                        Locale.ROOT,
                        "growing from %d took %.2f of the time of the fixed batch of %d%n",
                        grown.batch(),
                        grown.seconds() / fixed.seconds(),
                        fixed.batch()));
  }
}
