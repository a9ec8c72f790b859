package dev.tandem.bench.checkpoint;

import dev.tandem.checkpoint.BackgroundCheckpoints;
import dev.tandem.checkpoint.CheckpointOptions;
import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.Compression;
import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.comm.Communicator;
import dev.tandem.posix.DurableFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Our store, as it is and as frameworks would use it. */
final class TandemSaving implements Saving {

  /** Who writes what, and when. */
  enum Mode {
    /** Every rank its part, in the background. */
    ASYNC,
    /** Every rank its part, while training waits. */
    SYNC,
    /** Rank 0 everything, while all wait. */
    RANK0,
    /** Every rank everything, while training waits. */
    REDUNDANT
  }

  private final ModelState state;
  private final Mode mode;
  private final CheckpointOptions options;
  private final RankGang gang;
  private final int ranks;
  private final CheckpointStore[] stores;
  private long step;

  TandemSaving(ModelState state, Mode mode, int ranks, Compression compression) {
    this.state = state;
    this.mode = mode;
    this.ranks = ranks;
    this.options = CheckpointOptions.DEFAULT.with(compression);
    this.gang = new RankGang(ranks);
    this.stores = new CheckpointStore[ranks];
  }

  @Override
  public String format() {
    return options.compression() == Compression.NONE ? "shards" : "shards-zstd";
  }

  @Override
  public String mode() {
    return mode.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public int ranks() {
    return ranks;
  }

  @Override
  public Times save(Path folder) {
    step++;
    List<Times> all = gang.run(communicator -> save(folder, communicator));
    return new Times(
        slowest(all, Times::stallSeconds),
        slowest(all, Times::writeSeconds),
        slowest(all, Times::totalSeconds));
  }

  private static double slowest(List<Times> all, ToDoubleFunction<Times> time) {
    return all.stream().mapToDouble(time).max().orElseThrow();
  }

  private Times save(Path folder, Communicator ranks) {
    if (stores[ranks.rank()] == null) {
      stores[ranks.rank()] = prepared(folder, ranks);
    }
    CheckpointStore store = stores[ranks.rank()];
    boolean writes = mode != Mode.RANK0 || ranks.rank() == 0;
    ranks.barrier();
    long began = System.nanoTime();
    if (writes) {
      store.save(step, state.tree());
    }
    double stall = seconds(began);
    store.await();
    double total = seconds(began);
    if (mode == Mode.ASYNC) {
      return new Times(stall, total - stall, total);
    }
    // Nobody goes on before the slowest has committed.
    ranks.barrier();
    return Times.waiting(seconds(began));
  }

  private static double seconds(long began) {
    return (System.nanoTime() - began) / 1e9;
  }

  /** What a run does once, before its first step. */
  private CheckpointStore prepared(Path folder, Communicator ranks) {
    return switch (mode) {
      case ASYNC -> background(folder, ranks);
      case SYNC -> store(folder, ranks);
      case RANK0 -> store(folder, Communicator.alone());
      case REDUNDANT -> store(folder.resolve("copy-" + ranks.rank()), Communicator.alone());
    };
  }

  private CheckpointStore store(Path folder, Communicator ranks) {
    return new FolderCheckpointStore(
        folder, DurableFiles.system(), ranks, options, System.err::println);
  }

  private CheckpointStore background(Path folder, Communicator ranks) {
    BackgroundCheckpoints.Level level = new BackgroundCheckpoints.Level(folder, 1, options);
    BackgroundCheckpoints checkpoints =
        new BackgroundCheckpoints(
            ranks, List.of(level), DurableFiles.system(), System.err::println, cost -> {});
    checkpoints.prepare(SlicedState.whole(state.tree()));
    return checkpoints;
  }

  @Override
  public void close() {
    var _ =
        gang.run(
            ranks -> {
              if (stores[ranks.rank()] instanceof BackgroundCheckpoints checkpoints) {
                checkpoints.close();
              }
              return 0;
            });
    gang.close();
  }
}
