package dev.tandem.bench.batch;

import dev.tandem.bench.Machine;
import dev.tandem.bench.WarmUp;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.nn.Engine;
import dev.tandem.train.batch.GrowingBatch;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Epochs and time to a target accuracy by batch size, on Fashion-MNIST with LeNet; the study of
 * 000, table 8.3, with its criterion: a batch of twice the size allows twice the processors, so it
 * is worthwhile as long as it takes at most twice the epochs. And the batch that grows (000, 8.4.3)
 * beside the fixed small one, several times.
 */
public final class BatchBenchmark {

  /** Where a batch that grows begins. */
  private static final int SMALL = 32;

  /** How far it grows, as long as an epoch still has {@link #LEAST_STEPS}. */
  private static final int GROWN = 512;

  private static final int LEAST_STEPS = 60;

  private static final int GROWTH = 4;

  /** It grows when the loss falls by less than this share from window to window. */
  private static final double SLOW = 0.15;

  private static final int WINDOWS_PER_EPOCH = 8;

  private static final long FIRST_SEED = 83;

  private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(8);

  private static final int REHEARSED_STEPS = 50;

  /**
   * How much is tried.
   *
   * @param batches fixed ones, the smallest first
   * @param pairs of trials with the batch that grows and with the fixed small one, each with
   *     another seed
   * @param training samples to train on at most
   * @param test samples to test with at most
   * @param target accuracy on the test set
   * @param mostEpochs after which a trial gives up
   */
  public record Effort(
      List<Integer> batches, int pairs, int training, int test, double target, int mostEpochs) {

    /** All of the data; estimated at 25 minutes on two idle cores. */
    public static final Effort FULL =
        new Effort(
            List.of(32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384),
            4,
            60_000,
            10_000,
            0.89,
            10);

    /** A part of the data; estimated at a minute and a half on two idle cores. */
    public static final Effort QUICK =
        new Effort(List.of(32, 128, 512, 2048), 3, 8_000, 2_000, 0.84, 8);

    public Effort {
      batches = List.copyOf(batches);
      if (!(target > 0 && target < 1)) {
        throw new UsageException("the target accuracy is between 0 and 1, not " + target);
      }
      if (pairs < 1) {
        throw new UsageException("at least 1 pair of trials is compared, not " + pairs);
      }
    }

    public Effort withTarget(double other) {
      return new Effort(batches, pairs, training, test, other, mostEpochs);
    }

    public Effort withPairs(int other) {
      return new Effort(batches, other, training, test, target, mostEpochs);
    }

    private int trials() {
      // The fixed small batch of the first pair is also the first of the sizes.
      return 2 * pairs + batches.size() - 1;
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

  /**
   * Runs all trials: the pairs, each in the other order than the one before, then the larger fixed
   * batches.
   *
   * @param soFar gets the results after every trial
   * @return the fixed batches with the first seed, from the smallest on, then the other trials of
   *     the pairs
   */
  public List<BatchRow> run(Consumer<List<BatchRow>> soFar) {
    String machine = Machine.describe(data.toAbsolutePath().getRoot());
    List<BatchRow> rows = new ArrayList<>();
    try (Arena arena = Arena.ofShared();
        Progress.Task task = progress.start("batch", effort.trials(), "trials")) {
      BatchTrial.Setting setting =
          new BatchTrial.Setting(
              Engine.start(threads),
              Fashion.load(data, Split.TRAIN, effort.training(), arena),
              Fashion.load(data, Split.TEST, effort.test(), arena),
              effort.target(),
              effort.mostEpochs(),
              machine,
              arena);
      BatchPlan small = BatchPlan.fixed(SMALL);
      BatchPlan growing = growing(setting.training().size());
      warmUp(setting, small);
      for (int pair = 0; pair < effort.pairs(); pair++) {
        List<BatchPlan> plans = pair % 2 == 0 ? List.of(small, growing) : List.of(growing, small);
        for (BatchPlan plan : plans) {
          rows.add(trial(setting, plan, FIRST_SEED + pair, rows.size(), task));
          soFar.accept(arranged(rows));
        }
      }
      for (int batch : effort.batches().subList(1, effort.batches().size())) {
        rows.add(trial(setting, BatchPlan.fixed(batch), FIRST_SEED, rows.size(), task));
        soFar.accept(arranged(rows));
      }
    }
    return arranged(rows);
  }

  private static List<BatchRow> arranged(List<BatchRow> rows) {
    Map<Boolean, List<BatchRow>> parts =
        rows.stream().collect(Collectors.partitioningBy(BatchBenchmark::isSize));
    List<BatchRow> result = new ArrayList<>(judged(parts.get(true)));
    result.addAll(parts.get(false));
    return result;
  }

  /** Otherwise the first trial, always that with the fixed batch, would pay for compiling. */
  private static void warmUp(BatchTrial.Setting setting, BatchPlan plan) {
    WarmUp.run(
        LONGEST_WARM_UP,
        () -> BatchTrial.rehearse(setting, plan, REHEARSED_STEPS, new Seed(FIRST_SEED)),
        share -> share);
  }

  private static BatchRow trial(
      BatchTrial.Setting setting, BatchPlan plan, long seed, int done, Progress.Task task) {
    BatchRow row =
        BatchTrial.run(
            setting,
            plan,
            new Seed(seed),
            (epochs, accuracy) ->
                task.advanceTo(
                    done,
                    String.format(
                        Locale.ROOT,
                        "%s %d, seed %d: accuracy %.4f after %.2f epochs",
                        plan.policy(),
                        plan.first(),
                        seed,
                        accuracy,
                        epochs)));
    task.advanceTo(done + 1, plan.policy() + " " + plan.first());
    return row;
  }

  /** Whether it is one of the sizes that are compared with each other. */
  private static boolean isSize(BatchRow row) {
    return row.policy().equals(BatchPlan.FIXED) && row.seed() == FIRST_SEED;
  }

  /** With few samples a batch grows less far: an epoch of a few large steps teaches little. */
  static BatchPlan growing(int samples) {
    int limit = Math.clamp(Integer.highestOneBit(samples / LEAST_STEPS), SMALL, GROWN);
    long window = Math.max(1, samples / WINDOWS_PER_EPOCH);
    return BatchPlan.growing(SMALL, new GrowingBatch.Settings(limit, GROWTH, SLOW, window));
  }

  /** Marks the fixed batches that are worthwhile, from the smallest as far as they are. */
  static List<BatchRow> judged(List<BatchRow> rows) {
    List<BatchRow> result = new ArrayList<>();
    boolean worthwhile = true;
    BatchRow before = null;
    for (BatchRow row : rows) {
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
