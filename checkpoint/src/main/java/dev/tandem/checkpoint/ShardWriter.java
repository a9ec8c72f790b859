package dev.tandem.checkpoint;

import dev.tandem.core.safetensors.Safetensors;
import dev.tandem.posix.DurableFiles;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.zip.CRC32C;

/**
 * Writes one rank's part of a checkpoint as a safetensors file, or of an incremental one what has
 * changed. Keeps the last snapshot to compare with; one thread at a time.
 */
final class ShardWriter {

  private final Path store;
  private final DurableFiles files;
  private final CheckpointOptions options;
  private final Executor threads = BlockWriter.threads();
  private final Executor asyncThreads;
  private Snapshot last;
  private Part lastPart;
  private ShardLayout roomLayout;
  private long room;

  /**
   * For the snapshots of one store.
   *
   * @param asyncThreads see {@link AsyncTask#threads}
   */
  ShardWriter(Path store, DurableFiles files, CheckpointOptions options, Executor asyncThreads) {
    this.store = store;
    this.files = files;
    this.options = options;
    this.asyncThreads = asyncThreads;
  }

  /**
   * Begins to write a snapshot, whose memory is borrowed until that is finished; the caller closes.
   *
   * @param shard path within the store
   */
  ShardUnderWay start(Snapshot snapshot, String shard) {
    Map<String, Part.NamedPiece> unchanged = unchanged(snapshot);
    List<Integer> written = new ArrayList<>();
    for (int i = 0; i < snapshot.layout().pieces().size(); i++) {
      if (!unchanged.containsKey(snapshot.layout().pieces().get(i).name())) {
        written.add(i);
      }
    }
    Map<String, Manifest.Shard> shards = new TreeMap<>();
    unchanged
        .values()
        .forEach(
            piece ->
                shards.put(piece.piece().shard(), lastPart.shards().get(piece.piece().shard())));
    List<Part.NamedPiece> pieces = new ArrayList<>(unchanged.values());
    if (written.isEmpty()) {
      return ShardUnderWay.nothing(new Part("", snapshot.holders(), shards, pieces));
    }
    long headerBytes = room(snapshot, written);
    Path path = store.resolve(shard);
    BlockWriter out =
        new BlockWriter(
            files.openForBlocks(path),
            threads,
            headerBytes,
            snapshot.layout().bytes(),
            options.bytesPerSecond());
    try {
      AsyncTask named = AsyncTask.start(asyncThreads, () -> files.forceDirectory(path.getParent()));
      Manifest.Shard file = append(snapshot, written, shard, out, headerBytes, pieces);
      shards.put(shard, file);
      Part part = new Part("", snapshot.holders(), shards, pieces);
      return ShardUnderWay.of(part, out, file.bytes(), named);
    } catch (RuntimeException e) {
      out.close();
      throw e;
    }
  }

  /**
   * Bytes that the header fits into. It is written last, while the disk is busy, but where the data
   * begins must be known at once; so what was found for all pieces is remembered.
   */
  private long room(Snapshot snapshot, List<Integer> written) {
    boolean all = written.size() == snapshot.layout().pieces().size();
    if (all && snapshot.layout().equals(roomLayout)) {
      return room;
    }
    List<Safetensors.Entry> plain =
        written.stream().map(i -> entry(snapshot.layout().pieces().get(i), -1)).toList();
    // Later steps may have more digits.
    Map<String, String> metadata = metadata(Long.MAX_VALUE, snapshot.layout(), written);
    long found = roundUp(Safetensors.mostHeaderBytes(plain, metadata));
    if (all) {
      roomLayout = snapshot.layout();
      room = found;
    }
    return found;
  }

  /** Remembers what is now committed, so that the next checkpoint may refer to it. */
  void committed(Snapshot snapshot, Part part) {
    last = snapshot;
    lastPart = part;
  }

  /** What the next checkpoint must not refer to is forgotten. */
  void forget() {
    last = null;
    lastPart = null;
  }

  /** The pieces that are byte for byte as they were last time, and where they were. */
  private Map<String, Part.NamedPiece> unchanged(Snapshot snapshot) {
    Map<String, Part.NamedPiece> unchanged = new TreeMap<>();
    if (!options.incremental() || last == null || !last.layout().equals(snapshot.layout())) {
      return unchanged;
    }
    Map<String, Part.NamedPiece> before = new HashMap<>();
    lastPart.pieces().forEach(piece -> before.put(key(piece.name(), piece.piece().block()), piece));
    for (int i = 0; i < snapshot.pieces().size(); i++) {
      if (snapshot.pieces().get(i).mismatch(last.pieces().get(i)) < 0) {
        ShardLayout.Piece piece = snapshot.layout().pieces().get(i);
        unchanged.put(piece.label(), before.get(key(piece.name(), piece.share().block())));
      }
    }
    return unchanged;
  }

  private static String key(String name, Block block) {
    return name + block.offset();
  }

  /**
   * Appends what is written of a snapshot and then puts the header, for which sizes are known then,
   * into the place that was left for it.
   */
  private Manifest.Shard append(
      Snapshot snapshot,
      List<Integer> written,
      String shard,
      BlockWriter out,
      long headerBytes,
      List<Part.NamedPiece> pieces) {
    boolean compressed = options.compression() != Compression.NONE;
    boolean whole =
        snapshot.image().isPresent() && !compressed && written.size() == snapshot.pieces().size();
    // The image lies in memory as the file wants it: nothing is copied again.
    long[] sums =
        whole ? appendImage(snapshot.image().orElseThrow(), snapshot.layout(), out) : null;
    List<Safetensors.Entry> entries = new ArrayList<>();
    for (int i : written) {
      ShardLayout.Piece piece = snapshot.layout().pieces().get(i);
      MemorySegment data = snapshot.pieces().get(i);
      long position = whole ? headerBytes + piece.position() : out.position();
      long sum = whole ? sums[i] : append(data, out);
      long stored = whole ? data.byteSize() : out.position() - position;
      entries.add(entry(piece, compressed ? stored : -1));
      pieces.add(piece.stored(shard, position, stored, options.compression(), sum));
    }
    long bytes = whole ? headerBytes + snapshot.layout().bytes() : out.position();
    Map<String, String> metadata = metadata(snapshot.step(), snapshot.layout(), written);
    byte[] header = Safetensors.header(entries, metadata, Math.toIntExact(headerBytes));
    if (header.length != headerBytes) {
      throw new IllegalStateException(
          "header of %d bytes, %d reserved".formatted(header.length, headerBytes));
    }
    out.header(header);
    return new Manifest.Shard(bytes, headerBytes, checksum(MemorySegment.ofArray(header)));
  }

  /**
   * Appends all pieces at once, block by block; returns their checksums, which are computed while
   * the blocks are on their way to the disk.
   */
  private static long[] appendImage(MemorySegment image, ShardLayout layout, BlockWriter out) {
    long[] sums = new long[layout.pieces().size()];
    CRC32C sum = new CRC32C();
    int piece = 0;
    for (long at = 0; at < layout.bytes(); at += BlockWriter.CHUNK) {
      long end = Math.min(layout.bytes(), at + BlockWriter.CHUNK);
      out.append(image.asSlice(at, SnapshotBuffers.padded(end) - at));
      for (long from = at; from < end; ) {
        ShardLayout.Piece current = layout.pieces().get(piece);
        long to = Math.min(end, current.position() + current.bytes());
        sum.update(image.asSlice(from, to - from).asByteBuffer());
        if (to == current.position() + current.bytes()) {
          sums[piece++] = sum.getValue();
          sum.reset();
        }
        from = to;
      }
    }
    // What follows has no bytes, and 0 is the checksum of nothing.
    return sums;
  }

  /** Appends a piece as it is stored; returns the checksum of its bytes. */
  private long append(MemorySegment data, BlockWriter out) {
    CRC32C sum = new CRC32C();
    switch (options.compression()) {
      case NONE -> {
        for (long at = 0; at < data.byteSize(); at += BlockWriter.CHUNK) {
          MemorySegment part = data.asSlice(at, Math.min(BlockWriter.CHUNK, data.byteSize() - at));
          out.append(part);
          sum.update(part.asByteBuffer());
        }
      }
      case ZSTD -> appendFrames(data, out, sum);
    }
    return sum.getValue();
  }

  private static void appendFrames(MemorySegment data, BlockWriter out, CRC32C sum) {
    ByteBuffer raw = ByteBuffer.allocateDirect(Compression.FRAME);
    for (long at = 0; at < data.byteSize(); at += Compression.FRAME) {
      int length = (int) Math.min(Compression.FRAME, data.byteSize() - at);
      raw.clear().limit(length);
      MemorySegment.copy(data, at, MemorySegment.ofBuffer(raw), 0, length);
      ByteBuffer frame = ByteBuffer.allocateDirect(Compression.largestFrame());
      sum.update(raw.duplicate());
      Compression.compress(raw, frame);
      out.append(MemorySegment.ofBuffer(frame.flip()));
    }
  }

  /** How other programs see a piece; what is compressed is a row of bytes for them. */
  private static Safetensors.Entry entry(ShardLayout.Piece piece, long stored) {
    return stored < 0
        ? new Safetensors.Entry(
            piece.label(),
            piece.share().holding().dtype(),
            piece.share().block().shape(),
            piece.bytes())
        : new Safetensors.Entry(piece.label(), "U8", List.of(stored), stored);
  }

  /** What a reader of the shard alone must know of pieces that are not whole tensors. */
  private Map<String, String> metadata(long step, ShardLayout layout, List<Integer> written) {
    Map<String, String> metadata = new TreeMap<>();
    metadata.put("tandem.step", Long.toString(step));
    if (options.compression() != Compression.NONE) {
      metadata.put("tandem.compression", options.compression().name());
    }
    for (int i : written) {
      ShardLayout.Piece piece = layout.pieces().get(i);
      Division.Share share = piece.share();
      if (!share.block().shape().equals(share.holding().whole())) {
        metadata.put(
            "tandem.slice." + piece.label(),
            "at %s of %s".formatted(share.block().offset(), share.holding().whole()));
      }
    }
    return metadata;
  }

  static long checksum(MemorySegment data) {
    CRC32C checksum = new CRC32C();
    // Buffers hold at most 2 GiB.
    long piece = 1L << 30;
    for (long at = 0; at < data.byteSize(); at += piece) {
      checksum.update(data.asSlice(at, Math.min(piece, data.byteSize() - at)).asByteBuffer());
    }
    return checksum.getValue();
  }

  private static long roundUp(long bytes) {
    return (bytes + DurableFiles.BLOCK - 1) / DurableFiles.BLOCK * DurableFiles.BLOCK;
  }
}
