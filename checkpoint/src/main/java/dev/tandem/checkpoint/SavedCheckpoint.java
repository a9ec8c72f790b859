package dev.tandem.checkpoint;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.zip.CRC32C;

/**
 * One committed checkpoint, to be looked at, verified and read, wholly or in part, by any number of
 * ranks whatever number wrote it. Immutable; any thread.
 */
public final class SavedCheckpoint {

  private final Path store;
  private final Path folder;
  private final DurableFiles files;
  private final Manifest manifest;

  private SavedCheckpoint(Path store, Path folder, DurableFiles files, Manifest manifest) {
    this.store = store;
    this.folder = folder;
    this.files = files;
    this.manifest = manifest;
  }

  /**
   * A tensor of a checkpoint.
   *
   * @param bytes of its elements
   * @param storedBytes that they take on disk
   * @param pieces that it is stored in
   * @param unchangedSince step of the oldest checkpoint that holds a piece of it
   */
  public record Tensor(
      String name,
      DType dtype,
      Shape shape,
      long bytes,
      long storedBytes,
      int pieces,
      long unchangedSince) {}

  /** Reads the manifest of a step; one that is not committed is no checkpoint. */
  public static SavedCheckpoint open(Path store, long step, DurableFiles files) {
    Path folder = store.resolve(StepFolders.name(step));
    Path path = folder.resolve(Manifest.FILE);
    byte[] json;
    try (DurableFile file = files.openForReading(path)) {
      ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.size()));
      var _ = file.read(bytes, 0);
      json = bytes.array();
    }
    Manifest manifest = Manifest.decode(json, path.toString());
    if (manifest.step() != step) {
      throw new WorkFailedException(
          "%s is damaged: it is of step %d".formatted(path, manifest.step()));
    }
    return new SavedCheckpoint(store, folder, files, manifest);
  }

  /** One whose manifest is known already. */
  static SavedCheckpoint of(Path store, Manifest manifest, DurableFiles files) {
    return new SavedCheckpoint(
        store, store.resolve(StepFolders.name(manifest.step())), files, manifest);
  }

  /** Where it is. */
  public Path folder() {
    return folder;
  }

  public long step() {
    return manifest.step();
  }

  /** How many ranks wrote it. */
  public int ranks() {
    return manifest.ranks();
  }

  /** What was saved beside the tensors. */
  public Map<String, String> values() {
    return manifest.values();
  }

  Manifest manifest() {
    return manifest;
  }

  /** Its tensors by name. */
  public Map<String, Tensor> tensors() {
    Map<String, Tensor> tensors = new TreeMap<>();
    manifest.tensors().forEach((name, tensor) -> tensors.put(name, describe(name, tensor)));
    return tensors;
  }

  private static Tensor describe(String name, Manifest.Tensor tensor) {
    List<Manifest.Piece> pieces = tensor.pieces();
    return new Tensor(
        name,
        tensor.type(),
        new Shape(tensor.shape()),
        pieces.stream().mapToLong(Manifest.Piece::bytes).sum(),
        pieces.stream().mapToLong(Manifest.Piece::storedBytes).sum(),
        pieces.size(),
        pieces.stream().mapToLong(p -> StepFolders.stepOfShard(p.shard())).min().orElse(-1));
  }

  /** What is wrong with it; nothing if it can be restored as it was saved. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>(manifest.gaps());
    try (ShardReader reader = new ShardReader(store, manifest, files)) {
      manifest
          .shards()
          .forEach((name, shard) -> check(problems, () -> verifyHeader(reader, name, shard)));
      manifest
          .tensors()
          .forEach((name, tensor) -> check(problems, () -> verify(reader, name, tensor)));
    }
    return problems;
  }

  private static void check(List<String> problems, Runnable work) {
    try {
      work.run();
    } catch (WorkFailedException e) {
      problems.add(e.getMessage());
    }
  }

  private void verifyHeader(ShardReader reader, String name, Manifest.Shard shard) {
    if (ShardWriter.checksum(MemorySegment.ofArray(reader.header(name)))
        != shard.headerChecksum()) {
      throw new WorkFailedException(
          store.resolve(name) + " is damaged: its header has a wrong checksum");
    }
  }

  private void verify(ShardReader reader, String name, Manifest.Tensor tensor) {
    for (Manifest.Piece piece : tensor.pieces()) {
      if (piece.bytes() != piece.block().elements() * tensor.type().bytes()) {
        throw damaged(piece, name);
      }
      CRC32C sum = new CRC32C();
      reader.read(piece, (part, at) -> sum.update(part.asByteBuffer()));
      if (sum.getValue() != piece.checksum()) {
        throw damaged(piece, name);
      }
    }
  }

  private WorkFailedException damaged(Manifest.Piece piece, String name) {
    return new WorkFailedException(
        "%s is damaged: tensor %s has a wrong checksum"
            .formatted(store.resolve(piece.shard()), name));
  }

  /**
   * Makes sure that these tensors can be restored: that they fit and that every byte is as it was
   * written. Throws {@link WorkFailedException} if not.
   */
  void verifyFor(SlicedState state) {
    for (TensorView target : state.tree().tensors().values()) {
      Manifest.Tensor tensor = manifest.tensors().get(target.name());
      Shape whole = state.wholeShape(target);
      if (tensor == null
          || tensor.type() != target.dtype()
          || !tensor.shape().equals(whole.extents())) {
        throw new WorkFailedException(
            "%s does not fit the model: tensor %s is %s there and %s %s in the model"
                .formatted(
                    folder,
                    target.name(),
                    tensor == null ? "missing" : tensor.type() + " " + new Shape(tensor.shape()),
                    target.dtype(),
                    whole));
      }
    }
    List<String> gaps = manifest.gaps();
    if (!gaps.isEmpty()) {
      throw new WorkFailedException(folder + " is damaged: " + gaps.getFirst());
    }
    try (ShardReader reader = new ShardReader(store, manifest, files)) {
      for (TensorView target : state.tree().tensors().values()) {
        List<SlicedState.HeldBlock> wanted = state.blocks(target);
        Manifest.Tensor tensor = manifest.tensors().get(target.name());
        verify(reader, target.name(), only(tensor, piece -> meetsAny(piece.block(), wanted)));
      }
    }
  }

  private static Manifest.Tensor only(Manifest.Tensor tensor, Predicate<Manifest.Piece> pieces) {
    return new Manifest.Tensor(
        tensor.dtype(), tensor.shape(), tensor.pieces().stream().filter(pieces).toList());
  }

  /** Copies what was saved into these tensors; {@link #verifyFor} comes first. */
  void copyInto(SlicedState state) {
    try (ShardReader reader = new ShardReader(store, manifest, files)) {
      for (TensorView target : state.tree().tensors().values()) {
        List<SlicedState.HeldBlock> wanted = state.blocks(target);
        for (Manifest.Piece piece : manifest.tensors().get(target.name()).pieces()) {
          if (meetsAny(piece.block(), wanted)) {
            copy(reader, piece, wanted, target);
          }
        }
      }
    }
  }

  private static boolean meetsAny(Block block, List<SlicedState.HeldBlock> wanted) {
    return wanted.stream().anyMatch(held -> held.block().meets(block));
  }

  private static void copy(
      ShardReader reader,
      Manifest.Piece piece,
      List<SlicedState.HeldBlock> wanted,
      TensorView target) {
    int elementBytes = target.dtype().bytes();
    for (SlicedState.HeldBlock held : wanted) {
      if (piece.block().equals(held.block()) && held.block().isContiguousIn(held.tensor())) {
        long begin = held.block().placeIn(held.tensor()) * elementBytes;
        reader.read(
            piece,
            (part, at) -> MemorySegment.copy(part, 0, target.data(), begin + at, part.byteSize()));
        return;
      }
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment elements = arena.allocate(piece.bytes());
      reader.read(piece, (part, at) -> MemorySegment.copy(part, 0, elements, at, part.byteSize()));
      for (SlicedState.HeldBlock held : wanted) {
        held.copy(elements, piece.block(), target.data(), elementBytes);
      }
    }
  }

  /**
   * Restores after everything that is needed has been verified; on any failure the state is
   * untouched.
   *
   * @return the values saved beside the tensors
   */
  public Map<String, String> restore(SlicedState state) {
    verifyFor(state);
    copyInto(state);
    return values();
  }
}
