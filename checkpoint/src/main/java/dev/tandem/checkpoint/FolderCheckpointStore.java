package dev.tandem.checkpoint;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.tandem.comm.Communicator;
import dev.tandem.core.Region;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFiles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Checkpoints as folders {@code step-<n>} below one folder that all ranks see, written by all of
 * them together; see Note [commit] in the package description. When {@link #save} returns, the
 * checkpoint survives a power loss.
 */
public final class FolderCheckpointStore implements CheckpointStore, LevelStore {

  private static final TypeReference<List<Holding>> HOLDINGS = new TypeReference<>() {};

  private final Path folder;
  private final DurableFiles files;
  private final Communicator ranks;
  private final CheckpointOptions options;
  private final Consumer<String> lines;
  private final ShardWriter writer;
  private final Commit commit;
  private final Housekeeping housekeeping;
  private final SnapshotBuffers buffers = new SnapshotBuffers(Arena.ofAuto());

  /** Steps whose checkpoint was found damaged: these alone may be written again. */
  private final Set<Long> damaged = new HashSet<>();

  private boolean divided;
  private List<Holding> held = List.of();
  private Map<String, Region> slices = Map.of();
  private ShardLayout layout = new ShardLayout(List.of(), 0);
  private int holders;

  /** A store of one rank that keeps everything. */
  public FolderCheckpointStore(Path folder, DurableFiles files) {
    this(folder, files, Communicator.alone(), CheckpointOptions.DEFAULT, System.err::println);
  }

  /**
   * A store of several ranks.
   *
   * @param ranks those that save together; borrowed, and used by the threads that call this store
   * @param options the same in all ranks
   * @param lines gets what a person should know, one line each
   */
  public FolderCheckpointStore(
      Path folder,
      DurableFiles files,
      Communicator ranks,
      CheckpointOptions options,
      Consumer<String> lines) {
    this.folder = folder;
    this.files = files;
    this.ranks = ranks;
    this.options = options;
    this.lines = lines;
    Executor asyncThreads = AsyncTask.threads();
    this.writer = new ShardWriter(folder, files, options, asyncThreads);
    this.commit = new Commit(folder, files, lines, asyncThreads);
    this.housekeeping = new Housekeeping(folder, files, options.retention(), lines);
  }

  /** Where the checkpoints are. */
  public Path folder() {
    return folder;
  }

  CheckpointOptions options() {
    return options;
  }

  @Override
  public Path save(long step, SlicedState state) {
    state.arrival().await();
    try {
      saveNow(step, state);
    } finally {
      state.arrival().done();
    }
    return folder.resolve(StepFolders.name(step));
  }

  private void saveNow(long step, SlicedState state) {
    if (!layoutIsOf(state)) {
      divide(state);
    }
    if (options.incremental()) {
      try (CopyThreads alone = new CopyThreads(0)) {
        put(snapshot(step, state, buffers.next(layout.bytes()), alone));
      }
    } else {
      put(Snapshot.live(step, state.tree(), holders, layout));
    }
    tidy();
  }

  @Override
  public Optional<Path> keep(long step, SlicedState state) {
    return lacks(step) ? Optional.of(save(step, state)) : Optional.empty();
  }

  /** Whether this step can be saved and is not; rank 0 looks, for all, which call it together. */
  boolean lacks(long step) {
    byte[] answer = {0};
    if (ranks.rank() == 0 && (damaged.contains(step) || !steps().contains(step))) {
      answer[0] = 1;
    }
    return Messages.fromFirst(ranks, answer)[0] == 1;
  }

  /** Whether the ranks need not communicate to know which of them writes what of this state. */
  boolean layoutIsOf(SlicedState state) {
    return divided && Holding.describe(held, slices, state);
  }

  /** Agrees with the other ranks which of them writes what. All ranks do so at the same time. */
  void divide(SlicedState state) {
    List<Holding> mine = Holding.of(state);
    List<List<Holding>> all = new ArrayList<>();
    for (byte[] message : Messages.all(ranks, Json.bytes(mine))) {
      all.add(Json.read(message, HOLDINGS));
    }
    layout = ShardLayout.of(Division.of(all, ranks.rank()), state);
    holders = all.hashCode();
    held = mine;
    divided = true;
    slices = state.slices();
  }

  /** A copy of what this rank writes, in memory that is as long as {@link #snapshotBytes}. */
  Snapshot snapshot(long step, SlicedState state, MemorySegment memory, CopyThreads threads) {
    return Snapshot.copy(step, state.tree(), holders, layout, memory, threads);
  }

  long snapshotBytes() {
    return layout.bytes();
  }

  @Override
  public void put(Snapshot snapshot) {
    long step = snapshot.step();
    boolean first = ranks.rank() == 0;
    try {
      agree(first ? commit.prepare(step, damaged.contains(step)) : "");
      try (ShardUnderWay shard = startOrExplain(snapshot)) {
        // The disk is busy with the shards while rank 0 learns what they are and writes it down.
        // It need not write and read what it knows itself.
        byte[] report = first ? new byte[0] : Json.bytes(shard.part());
        List<byte[]> reports = Messages.toFirst(ranks, report);
        String refusal = first ? commit.draft(snapshot, parts(shard.part(), reports)) : "";
        List<byte[]> failures = Messages.toFirst(ranks, finishOrExplain(shard));
        agree(first ? commit.commit(step, refusal, failures) : "");
        writer.committed(snapshot, shard.part());
        if (first) {
          housekeeping.committed(commit.drafted());
        }
      }
    } catch (RuntimeException e) {
      // The memory of the last good snapshot is used again before there is another good one.
      writer.forget();
      throw e;
    }
  }

  /** Rank 0 says why all fail, or nothing if they do not. */
  private void agree(String refusal) {
    byte[] said = Messages.fromFirst(ranks, refusal.getBytes(StandardCharsets.UTF_8));
    if (said.length > 0) {
      throw new WorkFailedException(new String(said, StandardCharsets.UTF_8));
    }
  }

  /** The others wait for this rank's report, so they get one in any case. */
  private ShardUnderWay startOrExplain(Snapshot snapshot) {
    try {
      String shard = StepFolders.shard(snapshot.step(), ranks.rank(), ranks.size());
      return writer.start(snapshot, shard);
    } catch (RuntimeException e) {
      return ShardUnderWay.nothing(Part.failed(String.valueOf(e.getMessage())));
    }
  }

  private static byte[] finishOrExplain(ShardUnderWay shard) {
    String failure = "";
    try {
      shard.finish();
    } catch (RuntimeException e) {
      failure = String.valueOf(e.getMessage());
    }
    return failure.getBytes(StandardCharsets.UTF_8);
  }

  private static List<Part> parts(Part own, List<byte[]> reports) {
    List<Part> parts = new ArrayList<>(List.of(own));
    for (byte[] report : reports.subList(1, reports.size())) {
      parts.add(Json.read(report, Part.TYPE));
    }
    return parts;
  }

  @Override
  public void tidy() {
    if (ranks.rank() == 0) {
      housekeeping.run();
    }
  }

  /** The name of a checkpoint's folder. */
  public static String folderName(long step) {
    return StepFolders.name(step);
  }

  @Override
  public List<Long> steps() {
    return StepFolders.committed(folder, files);
  }

  @Override
  public Map<String, String> restore(long step, SlicedState state) {
    return SavedCheckpoint.open(folder, step, files).restore(state);
  }

  @Override
  public Optional<Restored> restoreNewest(SlicedState state) {
    return Restoring.newest(List.of(this), ranks, state, lines);
  }

  @Override
  public List<Long> offered() {
    return steps();
  }

  @Override
  public String name() {
    return folder.toString();
  }

  @Override
  public void passOver(long step) {
    damaged.add(step);
  }

  @Override
  public Optional<String> fault(long step, SlicedState state) {
    try {
      SavedCheckpoint.open(folder, step, files).verifyFor(state);
      return Optional.empty();
    } catch (WorkFailedException e) {
      return Optional.of(e.getMessage());
    }
  }
}
