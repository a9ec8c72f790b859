package dev.tandem.checkpoint;

import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.FileTrees;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** Checkpoints as folders {@code step-<n>} below one folder. */
public final class FolderCheckpointStore implements CheckpointStore {

  private static final Pattern COMMITTED = Pattern.compile("step-(\\d{1,18})");
  private static final String SHARD = "shard-0-of-1.safetensors";

  /** Buffers hold at most 2 GiB; larger tensors go in pieces. */
  private static final long PIECE = 1L << 30;

  private final Path folder;
  private final DurableFiles files;

  public FolderCheckpointStore(Path folder, DurableFiles files) {
    this.folder = folder;
    this.files = files;
  }

  @Override
  public Path save(long step, StateTree state) {
    Path committed = folder(step);
    Path pending = committed.resolveSibling(committed.getFileName() + ".pending");
    if (files.exists(committed)) {
      // Writing over it would leave a moment without any good copy.
      throw new WorkFailedException(
          committed + " exists already; remove it to save this step again");
    }
    try {
      FileTrees.delete(pending);
      Files.createDirectories(pending);
      Map<String, Long> checksums = new TreeMap<>();
      long length = writeShard(pending.resolve(SHARD), state, checksums);
      Manifest manifest =
          new Manifest(
              Manifest.FORMAT,
              step,
              Map.of(SHARD, length),
              checksums,
              new TreeMap<>(state.values()));
      files.replace(pending.resolve(Manifest.FILE), manifest.encode());
      files.rename(pending, committed);
      files.forceDirectory(folder);
      return committed;
    } catch (IOException e) {
      throw FileErrors.failure("save a checkpoint in", folder, e);
    }
  }

  private long writeShard(Path path, StateTree state, Map<String, Long> checksums) {
    try (DurableFile file = files.openOrCreate(path)) {
      byte[] header = Safetensors.header(state.tensors().values());
      file.write(ByteBuffer.wrap(header), 0);
      long at = header.length;
      for (TensorView tensor : state.tensors().values()) {
        CRC32C checksum = new CRC32C();
        for (ByteBuffer piece : pieces(tensor.data())) {
          checksum.update(piece.duplicate());
          int size = piece.remaining();
          file.write(piece, at);
          at += size;
        }
        checksums.put(tensor.name(), checksum.getValue());
      }
      file.force();
      return at;
    }
  }

  @Override
  public List<Long> steps() {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries
          .map(entry -> COMMITTED.matcher(entry.getFileName().toString()))
          .filter(Matcher::matches)
          .map(matcher -> Long.valueOf(matcher.group(1)))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw FileErrors.failure("list the checkpoints in", folder, e);
    }
  }

  @Override
  public Map<String, String> restore(long step, StateTree state) {
    Path committed = folder(step);
    try (Arena arena = Arena.ofConfined()) {
      Path manifestFile = committed.resolve(Manifest.FILE);
      Manifest manifest =
          Manifest.decode(Files.readAllBytes(manifestFile), manifestFile.toString());
      Map<String, TensorView> saved = new HashMap<>();
      for (Map.Entry<String, Long> shard : manifest.shards().entrySet()) {
        Path path = committed.resolve(shard.getKey());
        MemorySegment file = map(path, shard.getValue(), arena);
        Safetensors.parse(file, path.toString()).forEach(t -> saved.put(t.name(), t));
      }
      verify(committed, manifest, saved, state);
      for (TensorView target : state.tensors().values()) {
        MemorySegment.copy(saved.get(target.name()).data(), 0, target.data(), 0, target.byteSize());
      }
      return manifest.values();
    } catch (IOException e) {
      throw FileErrors.failure("read the checkpoint", committed, e);
    }
  }

  private static MemorySegment map(Path path, long length, Arena arena) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      if (channel.size() != length) {
        throw new WorkFailedException(
            "%s is damaged: it has %d bytes, not %d".formatted(path, channel.size(), length));
      }
      return channel.map(FileChannel.MapMode.READ_ONLY, 0, length, arena);
    }
  }

  private static void verify(
      Path committed, Manifest manifest, Map<String, TensorView> saved, StateTree state) {
    for (Map.Entry<String, Long> entry : manifest.tensors().entrySet()) {
      TensorView tensor = saved.get(entry.getKey());
      if (tensor == null || checksum(tensor.data()) != entry.getValue()) {
        throw new WorkFailedException(
            "%s is damaged: tensor %s is missing or has a wrong checksum"
                .formatted(committed, entry.getKey()));
      }
    }
    for (TensorView target : state.tensors().values()) {
      TensorView tensor = saved.get(target.name());
      if (tensor == null
          || tensor.dtype() != target.dtype()
          || !tensor.shape().equals(target.shape())) {
        throw new WorkFailedException(
            "%s does not fit the model: tensor %s is %s there and %s %s in the model"
                .formatted(
                    committed,
                    target.name(),
                    tensor == null ? "missing" : tensor.dtype() + " " + tensor.shape(),
                    target.dtype(),
                    target.shape()));
      }
    }
  }

  private static long checksum(MemorySegment data) {
    CRC32C checksum = new CRC32C();
    pieces(data).forEach(checksum::update);
    return checksum.getValue();
  }

  private static List<ByteBuffer> pieces(MemorySegment data) {
    List<ByteBuffer> pieces = new ArrayList<>();
    for (long at = 0; at < data.byteSize(); at += PIECE) {
      pieces.add(data.asSlice(at, Math.min(PIECE, data.byteSize() - at)).asByteBuffer());
    }
    return pieces;
  }

  private Path folder(long step) {
    return folder.resolve("step-%09d".formatted(step));
  }
}
