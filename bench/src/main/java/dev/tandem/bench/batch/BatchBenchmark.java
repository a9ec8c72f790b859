package dev.tandem.bench.batch;

import dev.tandem.bench.Machine;
import dev.tandem.core.Progress;
import dev.tandem.core.UsageException;
import dev.tandem.data.importing.SourceFormat.Split;
import dev.tandem.nn.Engine;
import dev.tandem.train.batch.BatchSizing;
import dev.tandem.train.batch.BatchSizings;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Epochs and time to a target accuracy by batch size, on Fashion-MNIST with LeNet; the study of
 * 000, table 8.3, with its criterion: a batch of twice the size allows twice the processors, so it
 * is worthwhile as long as it takes at most twice the epochs.
 */
public final class BatchBenchmark {

  /** Where a batch that grows begins and ends. */
  private static final int SMALL = 64;

  private static final int GROWN = 1024;

  /** It grows when the loss falls by less than this share from window to window. */
  private static final double SLOW = 0.1;

  private static final int WINDOWS_PER_EPOCH = 2;

  /**
   * How much is tried.
   *
   * @param training samples to train on at most
   * @param test samples to test with at most
   * @param target accuracy on the test set
   * @param mostEpochs after which a trial gives up
   */
  public record Effort(
      List<Integer> batches, int training, int test, double target, int mostEpochs) {

    /** All of the data; up to 25 minutes on two cores. */
    public static final Effort FULL =
        new Effort(
            List.of(32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384),
            60_000,
            10_000,
            0.89,
            20);

    /** A part of the data, within 75 seconds. */
    public static final Effort QUICK =
        new Effort(List.of(32, 64, 128, 512, 2048), 8_000, 2_000, 0.80, 6);

    public Effort withTarget(double other) {
      if (!(other > 0 && other < 1)) {
        throw new UsageException("the target accuracy is between 0 and 1, not " + other);
      }
      return new Effort(batches, training, test, other, mostEpochs);
    }
  }

  private final Effort effort;
  private final Path data;
  private final int threads;
  private final Progress progress;

  /**
   * Prepares nothing yet.
   *
   * @param data the folder of Fashion-MNIST
   */
  public BatchBenchmark(Effort effort, Path data, int threads, Progress progress) {
    this.effort = effort;
    this.data = data;
    this.threads = threads;
    this.progress = progress;
  }

  /** Runs all trials: the fixed batches from the smallest on, then the one that grows. */
  public List<BatchRow> run() {
    String machine = Machine.describe(data.toAbsolutePath().getRoot());
    List<BatchRow> rows = new ArrayList<>();
    try (Arena arena = Arena.ofShared();
        Progress.Task task = progress.start("batch", effort.batches().size() + 1L, "batch sizes")) {
      Fashion training = Fashion.load(data, Split.TRAIN, effort.training(), arena);
      Fashion test = Fashion.load(data, Split.TEST, effort.test(), arena);
      BatchTrial.Setting setting =
          new BatchTrial.Setting(
              Engine.start(threads), training, test, effort.target(), effort.mostEpochs(), arena);
      for (int batch : effort.batches()) {
        rows.add(
            BatchTrial.run(setting, BatchSizings.FIXED, batch, batch, BatchSizing.FIXED, machine));
        task.advanceTo(rows.size(), "batch " + batch);
      }
      BatchSizing grow =
          BatchSizings.of(
              BatchSizings.GROW, SMALL, GROWN, SLOW, training.size() / WINDOWS_PER_EPOCH);
      rows.add(BatchTrial.run(setting, BatchSizings.GROW, SMALL, GROWN, grow, machine));
      task.advanceTo(rows.size(), BatchSizings.GROW);
    }
    return judged(rows);
  }

  /** Marks the fixed batches that are worthwhile, from the smallest as far as they are. */
  static List<BatchRow> judged(List<BatchRow> rows) {
    List<BatchRow> result = new ArrayList<>();
    boolean worthwhile = true;
    BatchRow before = null;
    for (BatchRow row : rows) {
      if (!row.policy().equals(BatchSizings.FIXED)) {
        result.add(row);
        continue;
      }
      double growth = before == null ? 1 : (double) row.batch() / before.batch();
      worthwhile &= row.reached() && (before == null || row.epochs() <= growth * before.epochs());
      result.add(row.asWorthwhile(worthwhile));
      before = row;
    }
    return result;
  }

  /** The largest batch that is worthwhile, if any reached the target. */
  public static Optional<BatchRow> largestWorthwhile(List<BatchRow> rows) {
    return rows.stream().filter(BatchRow::worthwhile).reduce((first, second) -> second);
  }
}
