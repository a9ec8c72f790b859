package dev.tandem.bench.checkpoint;

import dev.tandem.bench.checkpoint.Saving.Times;
import dev.tandem.checkpoint.BackgroundCheckpoints;
import dev.tandem.checkpoint.CheckpointOptions;
import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.checkpoint.PartnerMemory;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.comm.Communicator;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** One rank's part in saves by our store, as it is and as frameworks would use it. One thread. */
final class RankSaving implements AutoCloseable {

  /** Which rank writes what, and when. */
  enum Mode {
    /** Every rank its part, in the background. */
    ASYNC,
    /** Every rank its part, while training waits. */
    SYNC,
    /** Rank 0 everything, while all wait. */
    RANK0,
    /** Every rank everything, while training waits. */
    REDUNDANT,
    /** Every rank its part into its own memory and that of another rank, in the background. */
    PARTNER;

    /** As {@link CheckpointRow} has it. */
    String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final ModelState state;
  private final Mode mode;
  private final CheckpointOptions options;
  private final Communicator ranks;
  private final PartnerMemory memory = new PartnerMemory();
  private CheckpointStore store;
  private long step;

  /**
   * A rank that has not saved yet.
   *
   * @param state what all ranks hold; borrowed
   * @param ranks borrowed
   */
  RankSaving(ModelState state, Mode mode, CheckpointOptions options, Communicator ranks) {
    this.state = state;
    this.mode = mode;
    this.options = options;
    this.ranks = ranks;
  }

  /** Saves once, together with all other ranks, always into the same folder. */
  Times save(Path folder) {
    step++;
    if (store == null) {
      store = prepared(folder);
    }
    boolean writes = mode != Mode.RANK0 || ranks.rank() == 0;
    ranks.barrier();
    long began = System.nanoTime();
    if (writes) {
      store.save(step, state.tree());
    }
    double stall = seconds(began);
    store.await();
    double total = seconds(began);
    if (mode == Mode.ASYNC || mode == Mode.PARTNER) {
      return new Times(stall, total - stall, total);
    }
    // No rank continues before the slowest has committed.
    ranks.barrier();
    return Times.waiting(seconds(began));
  }

  /**
   * Restores the step that was saved last, together with all other ranks, and compares every byte.
   *
   * @param target of the same tensors; overwritten
   * @return the seconds it took, without the comparison
   */
  double restore(ModelState target) {
    target.memory().fill((byte) 0);
    ranks.barrier();
    long began = System.nanoTime();
    Optional<CheckpointStore.Restored> restored =
        store.restoreNewest(SlicedState.whole(target.tree()));
    double seconds = seconds(began);
    if (restored.isEmpty() || restored.get().step() != step || !target.sameTensors(state)) {
      throw new WorkFailedException(
          "rank %d did not get back what was saved at step %d".formatted(ranks.rank(), step));
    }
    return seconds;
  }

  private static double seconds(long began) {
    return (System.nanoTime() - began) / 1e9;
  }

  /** What a run does once, before its first step. */
  private CheckpointStore prepared(Path folder) {
    return switch (mode) {
      case ASYNC -> background(folder, Optional.empty(), 1);
      case SYNC -> store(folder, ranks);
      case RANK0 -> store(folder, Communicator.alone());
      case REDUNDANT -> store(folder.resolve("copy-" + ranks.rank()), Communicator.alone());
      // The first save, which does not count, goes to the folder too, later ones do not.
      case PARTNER ->
          background(
              folder, Optional.of(new BackgroundCheckpoints.Partner(memory, 0)), Integer.MAX_VALUE);
    };
  }

  private CheckpointStore store(Path folder, Communicator group) {
    return new FolderCheckpointStore(
        folder, DurableFiles.system(), group, options, System.err::println);
  }

  private CheckpointStore background(
      Path folder, Optional<BackgroundCheckpoints.Partner> partner, int every) {
    BackgroundCheckpoints checkpoints =
        new BackgroundCheckpoints(
            ranks,
            partner,
            List.of(new BackgroundCheckpoints.Level(folder, every, options)),
            DurableFiles.system(),
            System.err::println,
            cost -> {});
    checkpoints.prepare(SlicedState.whole(state.tree()));
    return checkpoints;
  }

  @Override
  public void close() {
    if (store instanceof BackgroundCheckpoints checkpoints) {
      checkpoints.close();
    }
    memory.close();
  }
}
