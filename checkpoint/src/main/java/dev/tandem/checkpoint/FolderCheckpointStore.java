package dev.tandem.checkpoint;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.tandem.comm.Communicator;
import dev.tandem.core.PeerLostException;
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
  private final SnapshotBuffers buffers = new SnapshotBuffers(Arena.ofAuto());

  /** Steps whose checkpoint was found damaged: these alone may be written again. */
  private final Set<Long> damaged = new HashSet<>();

  private List<Holding> held = List.of();
  private ShardLayout layout = ShardLayout.of(List.of());
  private int holders;
  private Meanwhile named;

  /** A store of one rank that keeps everything. */
  public FolderCheckpointStore(Path folder, DurableFiles files) {
    this(folder, files, Communicator.alone(), CheckpointOptions.DEFAULT, System.err::println);
  }

  /**
   * A store of several ranks.
   *
   * @param ranks those that save together; borrowed, and used by whoever calls this store
   * @param options the same in all ranks
   * @param lines told what a person should know, one line each
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
    this.writer = new ShardWriter(folder, files, options);
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
    if (!layoutIsOf(state)) {
      divide(state);
    }
    Snapshot snapshot =
        options.incremental()
            ? Snapshot.copy(step, state.tree(), holders, layout, buffers.next(layout.bytes()))
            : Snapshot.live(step, state.tree(), holders, layout);
    return write(snapshot);
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

  /** Whether the ranks need not talk to each other to know who writes what of this state. */
  boolean layoutIsOf(SlicedState state) {
    return !held.isEmpty() && Holding.describe(held, state);
  }

  /** Agrees with the other ranks who writes what. All ranks do so at the same time. */
  void divide(SlicedState state) {
    List<Holding> mine = Holding.of(state);
    List<List<Holding>> all = new ArrayList<>();
    for (byte[] message : Messages.all(ranks, Json.bytes(mine))) {
      all.add(Json.read(message, HOLDINGS));
    }
    layout = ShardLayout.of(Division.of(all, ranks.rank()));
    holders = all.hashCode();
    held = mine;
  }

  /** A copy of what this rank writes, in memory that is as long as {@link #snapshotBytes}. */
  Snapshot snapshot(long step, SlicedState state, MemorySegment memory) {
    return Snapshot.copy(step, state.tree(), holders, layout, memory);
  }

  long snapshotBytes() {
    return layout.bytes();
  }

  /** Writes and commits a snapshot; all ranks do so at the same time. */
  Path write(Snapshot snapshot) {
    try {
      agree(ranks.rank() == 0 ? prepare(snapshot.step()) : "");
      String shard = StepFolders.shard(snapshot.step(), ranks.rank(), ranks.size());
      Part part = writeOrExplain(snapshot, shard);
      // Rank 0 need not write and read what it knows.
      byte[] report = ranks.rank() == 0 ? new byte[0] : Json.bytes(part);
      List<byte[]> reports = Messages.toFirst(ranks, report);
      agree(ranks.rank() == 0 ? commit(snapshot, part, reports) : "");
      writer.committed(snapshot, part);
    } catch (RuntimeException e) {
      // The memory of the last good snapshot is used again before there is another good one.
      writer.forget();
      throw e;
    }
    return folder.resolve(StepFolders.name(snapshot.step()));
  }

  /** Rank 0 says why all fail, or nothing if they do not. */
  private void agree(String refusal) {
    byte[] said = Messages.fromFirst(ranks, refusal.getBytes(StandardCharsets.UTF_8));
    if (said.length > 0) {
      throw new WorkFailedException(new String(said, StandardCharsets.UTF_8));
    }
  }

  private String prepare(long step) {
    try {
      Path place = folder.resolve(StepFolders.name(step));
      if (StepFolders.isCommitted(folder, step, files) && !damaged.contains(step)) {
        // Writing over it would leave a moment without any good copy.
        return place + " exists already; remove it to save this step again";
      }
      StepFolders.remove(folder, step, files);
      files.createFolders(folder);
      files.createFolder(place);
      // Takes as long as writing some megabytes, and nothing needs it before the commit.
      named = Meanwhile.start(() -> files.forceDirectory(folder));
      return "";
    } catch (WorkFailedException e) {
      return e.getMessage();
    }
  }

  private Part writeOrExplain(Snapshot snapshot, String shard) {
    try {
      return writer.write(snapshot, shard);
    } catch (PeerLostException e) {
      throw e;
    } catch (RuntimeException e) {
      // The others wait for this rank's report, so they get one.
      return Part.failed(String.valueOf(e.getMessage()));
    }
  }

  private String commit(Snapshot snapshot, Part own, List<byte[]> reports) {
    List<Part> parts = new ArrayList<>();
    for (int rank = 0; rank < reports.size(); rank++) {
      Part part = rank == 0 ? own : Json.read(reports.get(rank), Part.TYPE);
      if (!part.failure().isEmpty()) {
        discard(snapshot.step());
        return "the checkpoint of step %d was not saved: rank %d: %s"
            .formatted(snapshot.step(), rank, part.failure());
      }
      parts.add(part);
    }
    Manifest manifest = Part.manifest(snapshot.step(), snapshot.values(), parts);
    List<String> faults = new ArrayList<>(manifest.gaps());
    for (String shard : manifest.shards().keySet()) {
      if (!files.exists(folder.resolve(shard))) {
        faults.add("what has not changed since is gone: there is no " + folder.resolve(shard));
      }
    }
    if (parts.stream().mapToInt(Part::holders).distinct().count() > 1) {
      faults.add("the ranks' tensors changed, but not in all ranks at the same step");
    }
    if (!faults.isEmpty()) {
      discard(snapshot.step());
      return "the checkpoint of step %d was not saved: %s"
          .formatted(snapshot.step(), faults.getFirst());
    }
    try {
      Path place = folder.resolve(StepFolders.name(snapshot.step()));
      named.await();
      files.replace(place.resolve(Manifest.FILE), manifest.encode());
    } catch (WorkFailedException e) {
      discard(snapshot.step());
      return e.getMessage();
    }
    new Housekeeping(folder, files, options.retention(), lines).run();
    return "";
  }

  /** Gives the room back that an unfinished checkpoint takes; it may be what a full disk lacks. */
  private void discard(long step) {
    try {
      StepFolders.remove(folder, step, files);
    } catch (WorkFailedException e) {
      lines.accept("the remains of step " + step + " stay: " + e.getMessage());
    }
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
  public void put(Snapshot snapshot) {
    var _ = write(snapshot);
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
