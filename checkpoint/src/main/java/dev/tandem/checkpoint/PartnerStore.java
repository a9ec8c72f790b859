package dev.tandem.checkpoint;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.tandem.checkpoint.PartnerMemory.SavedStep;
import dev.tandem.comm.Communicator;
import dev.tandem.core.WorkFailedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Checkpoints in the memory of the ranks, see {@code Note [partners]}: every rank's part is in its
 * own memory and in that of its partner. Survives the loss of any ranks of which no two are
 * partners.
 */
final class PartnerStore implements LevelStore {

  private static final TypeReference<List<Offer>> OFFERS = new TypeReference<>() {};
  private static final Path STORE = Path.of("memory");

  /** Less than a receiver takes in unasked, so that ranks in a circle may all send first. */
  private static final long CHUNK = 1 << 20;

  private final PartnerMemory memory;
  private final int generation;
  private final Communicator ranks;
  private final Consumer<String> lines;

  /** What can be put together from all ranks' memory, by step. */
  private final Map<Long, Source> sources = new HashMap<>();

  private Optional<Gathered> gathered = Optional.empty();

  /** What a rank has of a checkpoint that this many ranks saved. */
  record Offer(long step, int generation, int ranks, List<Integer> parts) {}

  /** Where the parts of a checkpoint are: for each rank that saved it, one that has its part. */
  private record Source(SavedStep key, List<Integer> holders) {}

  /** All parts of a checkpoint in this rank's memory, as long as it is being restored. */
  private record Gathered(long step, SavedCheckpoint checkpoint, Arena arena) {}

  /**
   * The level of one generation of a job.
   *
   * @param memory borrowed
   * @param ranks borrowed
   * @param lines called on rank 0
   */
  PartnerStore(PartnerMemory memory, int generation, Communicator ranks, Consumer<String> lines) {
    this.memory = memory;
    this.generation = generation;
    this.ranks = ranks;
    this.lines = lines;
  }

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public void put(Snapshot snapshot) {
    SavedStep key = new SavedStep(snapshot.step(), generation);
    memory.begin(key);
    MemorySegment mine = memory.part(ranks.rank(), snapshot.layout().bytes());
    Part part = copy(snapshot, mine);
    List<Part> parts = new ArrayList<>();
    for (byte[] report : Messages.all(ranks, Json.bytes(part))) {
      parts.add(Json.read(report, Part.TYPE));
    }
    Manifest manifest = Part.manifest(snapshot.step(), snapshot.values(), parts);
    Partners partners = Partners.of(ranks.topology(), ranks.rank());
    String fault = "";
    if (partners.from() != ranks.rank()) {
      String shard = StepFolders.shard(snapshot.step(), partners.from(), ranks.size());
      long bytes = manifest.shards().get(shard).bytes();
      MemorySegment theirs = memory.part(partners.from(), bytes);
      exchange(partners, mine, theirs);
      fault = fault(parts.get(partners.from()), theirs);
    }
    // Held before all know that all hold it: whichever rank is lost now, the others have it.
    memory.keep(manifest);
    for (byte[] said : Messages.all(ranks, fault.getBytes(StandardCharsets.UTF_8))) {
      if (said.length > 0) {
        memory.drop(key);
        throw new WorkFailedException(new String(said, StandardCharsets.UTF_8));
      }
    }
    memory.keepOnly(key);
  }

  /** All that is older went when the newest was held by all. */
  @Override
  public void tidy() {}

  private Part copy(Snapshot snapshot, MemorySegment to) {
    String shard = StepFolders.shard(snapshot.step(), ranks.rank(), ranks.size());
    List<Part.NamedPiece> pieces = new ArrayList<>();
    for (int i = 0; i < snapshot.pieces().size(); i++) {
      ShardLayout.Piece piece = snapshot.layout().pieces().get(i);
      MemorySegment data = snapshot.pieces().get(i);
      MemorySegment.copy(data, 0, to, piece.position(), piece.bytes());
      pieces.add(
          piece.stored(
              shard,
              piece.position(),
              piece.bytes(),
              Compression.NONE,
              ShardWriter.checksum(data)));
    }
    Manifest.Shard file = new Manifest.Shard(snapshot.layout().bytes(), 0, 0);
    return new Part("", snapshot.holders(), Map.of(shard, file), pieces);
  }

  private void exchange(Partners partners, MemorySegment mine, MemorySegment theirs) {
    long longest = Math.max(mine.byteSize(), theirs.byteSize());
    for (long at = 0; at < longest; at += CHUNK) {
      if (at < mine.byteSize()) {
        ranks.send(mine.asSlice(at, Math.min(CHUNK, mine.byteSize() - at)), partners.to());
      }
      if (at < theirs.byteSize()) {
        ranks.receive(theirs.asSlice(at, Math.min(CHUNK, theirs.byteSize() - at)), partners.from());
      }
    }
  }

  /** Why what has arrived is not what was sent; empty if it is. */
  private String fault(Part part, MemorySegment data) {
    for (Part.NamedPiece named : part.pieces()) {
      Manifest.Piece piece = named.piece();
      if (ShardWriter.checksum(data.asSlice(piece.position(), piece.bytes())) != piece.checksum()) {
        return "tensor %s did not arrive in rank %d's memory as it was sent"
            .formatted(named.name(), ranks.rank());
      }
    }
    return "";
  }

  @Override
  public List<Long> offered() {
    List<Offer> mine = new ArrayList<>();
    for (SavedStep key : memory.keys()) {
      int saved = memory.manifest(key).ranks();
      mine.add(new Offer(key.step(), key.generation(), saved, memory.parts(key)));
    }
    Map<SavedStep, Integer[]> holders = new TreeMap<>(SavedStep.ORDER);
    List<byte[]> all = Messages.all(ranks, Json.bytes(mine));
    for (int rank = 0; rank < all.size(); rank++) {
      for (Offer offer : Json.read(all.get(rank), OFFERS)) {
        Integer[] of =
            holders.computeIfAbsent(
                new SavedStep(offer.step(), offer.generation()), k -> new Integer[offer.ranks()]);
        for (int part : offer.parts()) {
          of[part] = of[part] == null ? (Integer) rank : of[part];
        }
      }
    }
    sources.clear();
    holders.forEach(this::consider);
    return List.copyOf(new TreeSet<>(sources.keySet()));
  }

  private void consider(SavedStep key, Integer[] holders) {
    for (int part = 0; part < holders.length; part++) {
      if (holders[part] == null) {
        if (ranks.rank() == 0) {
          lines.accept(
              "step %d cannot be restored from memory: rank %d and its partner are both lost;"
                      .formatted(key.step(), part)
                  + " an older checkpoint is used");
        }
        return;
      }
    }
    sources.put(key.step(), new Source(key, List.of(holders)));
  }

  @Override
  public Optional<String> fault(long step, SlicedState state) {
    release();
    Gathered all = gather(step, sources.get(step));
    gathered = Optional.of(all);
    try {
      all.checkpoint().verifyFor(state);
      return Optional.empty();
    } catch (WorkFailedException e) {
      return Optional.of(e.getMessage());
    }
  }

  /** Every part goes from a rank that has it to all others. */
  private Gathered gather(long step, Source source) {
    int first = source.holders().getFirst();
    byte[] text =
        ranks.rank() == first ? memory.manifest(source.key()).encode().array() : new byte[0];
    Manifest manifest = Manifest.decode(Messages.from(ranks, first, text), name());
    Arena arena = Arena.ofShared();
    Map<Path, MemorySegment> shards = new HashMap<>();
    for (int part = 0; part < source.holders().size(); part++) {
      String shard = StepFolders.shard(step, part, source.holders().size());
      long bytes = manifest.shards().get(shard).bytes();
      int holder = source.holders().get(part);
      MemorySegment data =
          holder == ranks.rank()
              ? memory.part(source.key(), part).asSlice(0, bytes)
              : arena.allocate(Math.max(1, bytes)).asSlice(0, bytes);
      ranks.broadcast(data, holder);
      shards.put(STORE.resolve(shard), data);
    }
    return new Gathered(step, SavedCheckpoint.of(STORE, manifest, new HeldFiles(shards)), arena);
  }

  @Override
  public Map<String, String> restore(long step, SlicedState state) {
    SavedCheckpoint checkpoint = gathered.orElseThrow().checkpoint();
    checkpoint.copyInto(state);
    release();
    return checkpoint.values();
  }

  @Override
  public void passOver(long step) {
    release();
    memory.keys().stream().filter(key -> key.step() == step).forEach(memory::drop);
  }

  private void release() {
    gathered.ifPresent(all -> all.arena().close());
    gathered = Optional.empty();
  }
}
