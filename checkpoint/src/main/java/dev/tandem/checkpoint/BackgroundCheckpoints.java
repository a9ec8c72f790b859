package dev.tandem.checkpoint;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Arrival;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.ThreadPriority;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Saves at the price of a copy: {@link #save} copies what this rank writes and returns; a thread of
 * low priority writes and commits it, at one level or several. Two copies take turns, so a save
 * waits only if the last but one is not written yet (with an incremental level: the last one). A
 * state that is still arriving is copied by that thread, too.
 *
 * <p>A checkpoint that cannot be written does not stop the training: a line says so, the last good
 * one stays, and {@link #await} fails if nothing newer was saved since.
 *
 * <p>Called by one thread, in all ranks at the same place of the program. Closing waits for what is
 * under way; after a rank was lost that fails at once.
 */
public final class BackgroundCheckpoints implements CheckpointStore, AutoCloseable {

  /**
   * A place for checkpoints, all ranks see it.
   *
   * @param every one of N saves goes here; 1 for all
   */
  public record Level(Path folder, int every, CheckpointOptions options) {

    public Level {
      if (every < 1) {
        throw new IllegalArgumentException("a level gets every save or each n-th, not " + every);
      }
      if (every > 1 && options.incremental()) {
        // What it would have to be compared with is no longer in memory.
        throw new IllegalArgumentException("an incremental level gets every save");
      }
    }
  }

  /**
   * What a save has cost this rank.
   *
   * @param bytes that this rank has copied
   * @param stallSeconds that training stood still
   * @param writeSeconds from then until the first level was committed
   */
  public record Cost(long step, long bytes, double stallSeconds, double writeSeconds) {}

  /**
   * That each rank's part is also held in the memory of another, before any other level.
   *
   * @param memory of this process; borrowed
   * @param generation of the job that the communicator is of
   */
  public record Partner(PartnerMemory memory, int generation) {}

  private final List<Level> levels;
  private final List<FolderCheckpointStore> stores;
  private final Optional<PartnerStore> partner;
  private final Communicator ranks;
  private final Consumer<String> lines;
  private final Consumer<Cost> costs;
  private final boolean incremental;
  private final Arena memory = Arena.ofShared();
  private final SnapshotBuffers buffers = new SnapshotBuffers(memory);
  private final CopyThreads copying;
  private final Future<?>[] underWay = new Future<?>[SnapshotBuffers.COUNT];
  private final ExecutorService writer;
  private long saves;
  private volatile RuntimeException lastFailure;
  private volatile double writeSeconds;

  /**
   * Begins to keep checkpoints; all ranks do so at the same place of the program.
   *
   * @param everyone borrowed to form a group of its own, so that writing in the background does not
   *     mix with other communication
   * @param levels the fastest first, the same in all ranks
   * @param lines gets what a person should know, one line each, on rank 0
   * @param costs gets every save when it is committed, by the writing thread
   */
  public BackgroundCheckpoints(
      Communicator everyone,
      List<Level> levels,
      DurableFiles files,
      Consumer<String> lines,
      Consumer<Cost> costs) {
    this(everyone, Optional.empty(), levels, files, lines, costs);
  }

  /**
   * The same with a level in memory, which gets every save, before the others.
   *
   * @param partner present in all ranks or in none
   */
  public BackgroundCheckpoints(
      Communicator everyone,
      Optional<Partner> partner,
      List<Level> levels,
      DurableFiles files,
      Consumer<String> lines,
      Consumer<Cost> costs) {
    this.levels = List.copyOf(levels);
    this.ranks = everyone.group(IntStream.range(0, everyone.size()).toArray());
    this.lines = everyone.rank() == 0 ? lines : line -> {};
    this.costs = costs;
    this.incremental = levels.stream().anyMatch(level -> level.options().incremental());
    this.stores =
        levels.stream()
            .map(
                level ->
                    new FolderCheckpointStore(
                        level.folder(), files, ranks, level.options(), this.lines))
            .toList();
    this.partner =
        partner.map(p -> new PartnerStore(p.memory(), p.generation(), ranks, this.lines));
    this.copying = CopyThreads.of(ranks);
    this.writer =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("checkpoint-writer").factory());
  }

  /**
   * Agrees which rank writes what and makes the memory for it, so that the first save is as short
   * as the others.
   */
  public void prepare(SlicedState state) {
    if (!stores.getFirst().layoutIsOf(state)) {
      waitForAll();
      stores.forEach(store -> store.divide(state));
    }
    buffers.prepare(stores.getFirst().snapshotBytes());
  }

  @Override
  public Path save(long step, SlicedState state) {
    long number = saves++;
    List<Integer> due = levels(level -> number % levels.get(level).every() == 0);
    if (!due.isEmpty() || partner.isPresent()) {
      submit(step, state, due, partner);
    } else {
      state.arrival().done();
    }
    return place(due.isEmpty() ? 0 : due.getFirst(), step);
  }

  @Override
  public Optional<Path> keep(long step, SlicedState state) {
    waitForAll();
    // The writing thread rests, so this one may use its group.
    List<Integer> lacking = levels(level -> stores.get(level).lacks(step));
    if (lacking.isEmpty()) {
      state.arrival().done();
      return Optional.empty();
    }
    // What is kept is to outlive the processes.
    submit(step, state, lacking, Optional.empty());
    await();
    return Optional.of(place(lacking.getLast(), step));
  }

  private List<Integer> levels(IntPredicate wanted) {
    return IntStream.range(0, levels.size()).filter(wanted).boxed().toList();
  }

  private Path place(int level, long step) {
    return levels.get(level).folder().resolve(StepFolders.name(step));
  }

  private void submit(
      long step, SlicedState state, List<Integer> folders, Optional<PartnerStore> inMemory) {
    try {
      long began = System.nanoTime();
      FolderCheckpointStore first = stores.getFirst();
      prepare(state);
      int turn = buffers.turn();
      finished(underWay[turn]);
      if (incremental) {
        waitForAll();
      }
      MemorySegment copy = buffers.next(first.snapshotBytes());
      Supplier<Snapshot> copied = () -> first.snapshot(step, state, copy, copying);
      if (state.arrival().equals(Arrival.HERE)) {
        copied = made(copied.get()); // live tensors change when this returns
      }
      List<LevelStore> to = new ArrayList<>();
      inMemory.ifPresent(to::add);
      folders.forEach(level -> to.add(stores.get(level)));
      double stall = (System.nanoTime() - began) / 1e9;
      underWay[turn] = submitted(state.arrival(), copied, to, stall);
    } catch (RuntimeException e) {
      state.arrival().done();
      throw e;
    }
  }

  private static Supplier<Snapshot> made(Snapshot snapshot) {
    return () -> snapshot;
  }

  private Future<?> submitted(
      Arrival arrival, Supplier<Snapshot> copied, List<LevelStore> to, double stall) {
    return writer.submit(() -> write(arrival, copied, to, stall));
  }

  private static Snapshot arrived(Arrival arrival, Supplier<Snapshot> copied) {
    try {
      arrival.await();
      return copied.get();
    } finally {
      arrival.done();
    }
  }

  private void write(
      Arrival arrival, Supplier<Snapshot> copied, List<LevelStore> to, double stall) {
    ThreadPriority.lower();
    long began = System.nanoTime();
    try {
      Snapshot snapshot = arrived(arrival, copied);
      boolean told = false;
      for (LevelStore level : to) {
        level.put(snapshot);
        if (!told) {
          writeSeconds = (System.nanoTime() - began) / 1e9;
          costs.accept(new Cost(snapshot.step(), snapshot.layout().bytes(), stall, writeSeconds));
          told = true;
        }
        level.tidy();
      }
      lastFailure = null;
    } catch (WorkFailedException e) {
      lines.accept(e.getMessage() + "; training continues, the last good checkpoint stays");
      lastFailure = e;
    } catch (RuntimeException e) {
      lastFailure = e;
      throw e;
    }
  }

  @Override
  public double writeSeconds() {
    return writeSeconds;
  }

  private void waitForAll() {
    Arrays.stream(underWay).forEach(BackgroundCheckpoints::finished);
  }

  /** A lost rank or a mistake of ours ends the training; a full disk does not. */
  private static void finished(Future<?> work) {
    if (work == null) {
      return;
    }
    Uninterrupted.run(
        () -> {
          try {
            var _ = work.get();
          } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause
                ? cause
                : new IllegalStateException(e);
          }
        });
  }

  @Override
  public void await() {
    waitForAll();
    if (lastFailure != null) {
      throw lastFailure;
    }
  }

  @Override
  public List<Long> steps() {
    waitForAll();
    TreeSet<Long> steps = new TreeSet<>();
    stores.forEach(store -> steps.addAll(store.steps()));
    return List.copyOf(steps);
  }

  @Override
  public Map<String, String> restore(long step, SlicedState state) {
    waitForAll();
    for (FolderCheckpointStore store : stores) {
      if (store.steps().contains(step)) {
        return store.restore(step, state);
      }
    }
    throw new WorkFailedException(
        "there is no checkpoint of step %d in %s".formatted(step, stores.getFirst().folder()));
  }

  @Override
  public Optional<Restored> restoreNewest(SlicedState state) {
    waitForAll();
    List<LevelStore> all = new ArrayList<>();
    partner.ifPresent(all::add);
    all.addAll(stores);
    return Restoring.newest(all, ranks, state, lines);
  }

  @Override
  public void close() {
    writer.close();
    copying.close();
    ranks.close();
    memory.close();
  }
}
