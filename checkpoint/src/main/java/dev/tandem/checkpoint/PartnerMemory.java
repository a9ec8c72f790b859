package dev.tandem.checkpoint;

import dev.tandem.posix.HugeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What one process holds of checkpoints in its memory: its own parts and those of the rank whose
 * partner it is. Outlives the communicators of a job's generations; belongs to the process.
 *
 * <p>One thread at a time.
 */
public final class PartnerMemory implements AutoCloseable {

  /**
   * Which checkpoint; the same step may be saved again by another generation, cut in another way.
   *
   * @param generation of the job in which it was saved
   */
  record SavedStep(long step, int generation) {

    static final Comparator<SavedStep> ORDER =
        Comparator.comparingLong(SavedStep::step).thenComparingInt(SavedStep::generation);
  }

  /** Memory that is used again for the next checkpoint. */
  private record Buffer(Arena arena, MemorySegment memory) {}

  /** What is held of one checkpoint: its manifest, and parts by the rank that saved them. */
  private record Held(Manifest manifest, Map<Integer, Buffer> parts) {}

  private final NavigableMap<SavedStep, Held> held = new TreeMap<>(SavedStep.ORDER);
  private final List<Buffer> free = new ArrayList<>();
  private Optional<SavedStep> writing = Optional.empty();
  private final Map<Integer, Buffer> written = new TreeMap<>();

  /** Begins a checkpoint; one that was begun and not kept is forgotten. */
  void begin(SavedStep key) {
    free.addAll(written.values());
    written.clear();
    writing = Optional.of(key);
  }

  /** Memory for a part of the checkpoint that was begun; its content is undefined. */
  MemorySegment part(int rank, long bytes) {
    Buffer buffer = take(bytes);
    written.put(rank, buffer);
    return buffer.memory().asSlice(0, bytes);
  }

  private Buffer take(long bytes) {
    for (Iterator<Buffer> each = free.iterator(); each.hasNext(); ) {
      Buffer buffer = each.next();
      if (buffer.memory().byteSize() >= bytes) {
        each.remove();
        return buffer;
      }
    }
    // They are of a generation that was cut in another way.
    free.forEach(buffer -> buffer.arena().close());
    free.clear();
    Arena arena = Arena.ofShared();
    // Nothing is mapped for 0 bytes.
    return new Buffer(arena, HugeMemory.allocate(Math.max(1, bytes), arena));
  }

  /** The checkpoint that was begun is held from now on, besides those before. */
  void keep(Manifest manifest) {
    drop(writing.orElseThrow());
    held.put(writing.orElseThrow(), new Held(manifest, new TreeMap<>(written)));
    written.clear();
    writing = Optional.empty();
  }

  /** Lets go of all checkpoints but this one. */
  void keepOnly(SavedStep key) {
    List.copyOf(held.keySet()).stream().filter(other -> !other.equals(key)).forEach(this::drop);
  }

  /** Lets go of a checkpoint. */
  void drop(SavedStep key) {
    Held before = held.remove(key);
    if (before != null) {
      free.addAll(before.parts().values());
    }
  }

  /** What there is, oldest first. */
  List<SavedStep> keys() {
    return List.copyOf(held.keySet());
  }

  /** The ranks whose parts of a checkpoint are here. */
  List<Integer> parts(SavedStep key) {
    return List.copyOf(held.get(key).parts().keySet());
  }

  Manifest manifest(SavedStep key) {
    return held.get(key).manifest();
  }

  /** A part that is here; may be longer than what was put there. */
  MemorySegment part(SavedStep key, int rank) {
    return held.get(key).parts().get(rank).memory();
  }

  /** Bytes that are held at present. */
  public long bytes() {
    return held.values().stream()
        .flatMap(checkpoint -> checkpoint.parts().values().stream())
        .mapToLong(buffer -> buffer.memory().byteSize())
        .sum();
  }

  @Override
  public void close() {
    List.copyOf(held.keySet()).forEach(this::drop);
    free.addAll(written.values());
    free.forEach(buffer -> buffer.arena().close());
    free.clear();
  }
}
