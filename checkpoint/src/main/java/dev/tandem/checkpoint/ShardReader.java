package dev.tandem.checkpoint;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Reads pieces of the shards of one checkpoint, each shard opened once. One thread. */
final class ShardReader implements AutoCloseable {

  private static final int CHUNK = 4 << 20;

  private final Path store;
  private final Manifest manifest;
  private final DurableFiles files;
  private final Map<String, DurableFile> open = new HashMap<>();
  private final ByteBuffer buffer;

  ShardReader(Path store, Manifest manifest, DurableFiles files) {
    this.store = store;
    this.manifest = manifest;
    this.files = files;
    long largest =
        manifest.tensors().values().stream()
            .flatMap(tensor -> tensor.pieces().stream())
            .mapToLong(Manifest.Piece::bytes)
            .max()
            .orElse(0);
    this.buffer = ByteBuffer.allocateDirect(Math.clamp(largest, 1, CHUNK));
  }

  /** Gets the bytes of a piece, in order, in parts that are valid during the call. */
  interface Sink {
    void accept(MemorySegment part, long at);
  }

  /** Reads the elements of a piece; nothing is verified. */
  void read(Manifest.Piece piece, Sink sink) {
    DurableFile file = shard(piece.shard());
    switch (piece.compression()) {
      case NONE -> {
        for (long at = 0; at < piece.bytes(); at += CHUNK) {
          buffer.clear().limit((int) Math.min(CHUNK, piece.bytes() - at));
          fill(file, buffer, piece.position() + at);
          sink.accept(MemorySegment.ofBuffer(buffer.flip()), at);
        }
      }
      case ZSTD -> {
        try (Arena arena = Arena.ofShared()) {
          ByteBuffer stored = arena.allocate(Math.max(1, piece.storedBytes())).asByteBuffer();
          stored.limit(Math.toIntExact(piece.storedBytes()));
          fill(file, stored, piece.position());
          stored.flip();
          for (long at = 0; at < piece.bytes(); at += CHUNK) {
            buffer.clear().limit((int) Math.min(CHUNK, piece.bytes() - at));
            Compression.decompress(stored, buffer, file.path().toString());
            sink.accept(MemorySegment.ofBuffer(buffer.flip()), at);
          }
        }
      }
    }
  }

  /** The beginning of a shard, up to its first tensor. */
  byte[] header(String shard) {
    byte[] header = new byte[Math.toIntExact(manifest.shards().get(shard).headerBytes())];
    fill(shard(shard), ByteBuffer.wrap(header), 0);
    return header;
  }

  private static void fill(DurableFile file, ByteBuffer target, long position) {
    int wanted = target.remaining();
    if (file.read(target, position) < wanted) {
      throw new WorkFailedException(file.path() + " is damaged: it ends too early");
    }
  }

  private DurableFile shard(String name) {
    return open.computeIfAbsent(name, this::opened);
  }

  private DurableFile opened(String name) {
    Manifest.Shard shard = manifest.shards().get(name);
    Path path = store.resolve(name);
    // A manifest is data: it must not lead us to files elsewhere.
    if (shard == null || !path.normalize().startsWith(store.normalize())) {
      throw new WorkFailedException(path + " is damaged: its manifest names an unknown shard");
    }
    DurableFile file = files.openForReading(path);
    if (file.size() != shard.bytes()) {
      long size = file.size();
      file.close();
      throw new WorkFailedException(
          "%s is damaged: it has %d bytes, not %d".formatted(path, size, shard.bytes()));
    }
    return file;
  }

  @Override
  public void close() {
    open.values().forEach(DurableFile::close);
  }
}
