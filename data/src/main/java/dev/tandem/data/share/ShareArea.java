package dev.tandem.data.share;

import static dev.tandem.data.share.SharedWords.read;
import static dev.tandem.data.share.SharedWords.write;

import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.SharedFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Memory that processes of one host share, made by the first that comes and removed by the last
 * that leaves. {@link Participants} says who is there. Thread-safe; the memory is valid until the
 * close.
 */
final class ShareArea implements AutoCloseable {

  static final int CONSUMERS = 128;
  static final int CONSUMER_BYTES = 256;
  static final int FINGERPRINT_BYTES = 32;
  static final int CHUNK_BYTES = 64;

  private static final long POLL_NANOS = 1_000_000;
  private static final int ZEROS = 1 << 20;

  /** Locked while the area is made, joined or left; those of participants follow. */
  private static final long MUTEX = 0;

  /** How the names of shares begin; that of the user follows. */
  static final String PREFIX = "tandem-share-";

  /** The size of a file that is being removed. */
  private static final long REMOVED = 1;

  // Places in the memory.
  private static final long FINGERPRINT_AT = 0;
  private static final long GEOMETRY_AT = 64;
  static final long PRODUCED_AT = 128;
  static final long CONSUMED_AT = 192;
  static final long HEAD_AT = 256;
  static final long LIMIT_AT = 320;
  static final long JOINED_AT = 328;
  static final long BEGAN_AT = 336;
  static final long GENERATIONS_AT = 344;
  static final long MOST_THREADS_AT = 348;
  static final long PARTICIPANTS_AT = 512;
  static final long CONSUMERS_AT =
      PARTICIPANTS_AT + (long) Participants.MOST * Participants.ROW_BYTES;
  static final long CHUNKS_AT = CONSUMERS_AT + (long) CONSUMERS * CONSUMER_BYTES;

  private static final int PAGE = 4096;

  /** What the memory has besides chunks and their states, at most. */
  static final long BOOKKEEPING = CHUNKS_AT + PAGE;

  private final Path path;
  private final SharedFile file;
  private final MemorySegment memory;
  private final Geometry geometry;
  private final Participants participants;
  private boolean closed;

  private ShareArea(Path path, SharedFile file, MemorySegment memory, Participants participants) {
    this.path = path;
    this.file = file;
    this.memory = memory;
    this.geometry =
        new Geometry(
            read(memory, GEOMETRY_AT),
            read(memory, GEOMETRY_AT + 8),
            (int) read(memory, GEOMETRY_AT + 16),
            (int) read(memory, GEOMETRY_AT + 24));
    this.participants = participants;
  }

  /**
   * Joins those who share.
   *
   * @param wanted how the memory is divided, if this one comes first
   * @param fingerprint of what is shared, the same for all
   * @param options how it takes part
   */
  static ShareArea join(Path path, Geometry wanted, byte[] fingerprint, ShareOptions options) {
    while (true) {
      SharedFile file = SharedFile.openOrCreate(path);
      boolean kept = false;
      try {
        lock(file);
        if (file.size() != REMOVED) {
          ShareArea area = entered(path, file, wanted, fingerprint);
          area.participants.begin(options);
          file.unlockOwn(MUTEX);
          kept = true;
          return area;
        }
      } finally {
        if (!kept) {
          file.close();
        }
      }
    }
  }

  /** Looks at a share that is there, without taking part in it; it stays until this is closed. */
  static Optional<ShareArea> watch(Path path) {
    if (!Files.exists(path)) {
      return Optional.empty();
    }
    SharedFile file = SharedFile.openOrCreate(path);
    boolean kept = false;
    try {
      lock(file);
      if (file.size() <= CHUNKS_AT || !Participants.anyone(file)) {
        return Optional.empty(); // being made or removed, or left by processes that were killed
      }
      ShareArea area = settled(path, file, file.map(file.size()));
      area.participants.watch();
      file.unlockOwn(MUTEX);
      kept = true;
      return Optional.of(area);
    } finally {
      if (!kept) {
        file.close();
      }
    }
  }

  private static void lock(SharedFile file) {
    while (!file.tryLockOwn(MUTEX)) {
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private static ShareArea entered(
      Path path, SharedFile file, Geometry wanted, byte[] fingerprint) {
    boolean first = file.size() < CHUNKS_AT || !Participants.anyone(file);
    if (first) {
      sweep(path);
      file.resize(0); // what others left that were killed
      requireFree(path, wanted);
      reserve(path, file, bytes(wanted));
    }
    MemorySegment memory = file.map(file.size());
    MemorySegment known = memory.asSlice(FINGERPRINT_AT, FINGERPRINT_BYTES);
    MemorySegment own = MemorySegment.ofArray(fingerprint);
    if (first) {
      known.copyFrom(own);
      write(memory, GEOMETRY_AT, wanted.inputBytes());
      write(memory, GEOMETRY_AT + 8, wanted.targetBytes());
      write(memory, GEOMETRY_AT + 16, wanted.chunk());
      write(memory, GEOMETRY_AT + 24, wanted.chunks());
      write(memory, BEGAN_AT, System.nanoTime());
    } else if (known.mismatch(own) >= 0) {
      throw new UsageException(
          "%s is shared for other data, augmentation, order or shape of samples than these: give each a share of its own"
              .formatted(path.getFileName()));
    }
    return settled(path, file, memory);
  }

  private static ShareArea settled(Path path, SharedFile file, MemorySegment memory) {
    Participants participants =
        Participants.settle(file, memory)
            .orElseThrow(
                () ->
                    new WorkFailedException(
                        "more than %d processes share %s"
                            .formatted(Participants.MOST, path.getFileName())));
    return new ShareArea(path, file, memory, participants);
  }

  /** Removes shares beside this one whose processes were all killed. */
  private static void sweep(Path own) {
    String name = own.getFileName().toString();
    int end = name.startsWith(PREFIX) ? name.indexOf('-', PREFIX.length()) : -1;
    if (end < 0) {
      return;
    }
    try (DirectoryStream<Path> others =
        Files.newDirectoryStream(own.getParent(), name.substring(0, end + 1) + "*")) {
      for (Path other : others) {
        if (!other.equals(own)) {
          removeIfLeft(other);
        }
      }
    } catch (IOException | TandemException e) {
      // It is another user's, or the next that comes first tries again.
    }
  }

  private static void removeIfLeft(Path other) throws IOException {
    try (SharedFile file = SharedFile.openOrCreate(other)) {
      // One that is being made is locked; one that was opened just now has no size yet.
      if (file.tryLockOwn(MUTEX) && file.size() >= CHUNKS_AT && !Participants.anyone(file)) {
        file.resize(REMOVED);
        Files.deleteIfExists(other);
      }
    }
  }

  private static long bytes(Geometry geometry) {
    return payloadAt(geometry) + geometry.chunks() * geometry.chunkBytes();
  }

  private static long payloadAt(Geometry geometry) {
    return (CHUNKS_AT + (long) geometry.chunks() * CHUNK_BYTES + PAGE - 1) / PAGE * PAGE;
  }

  /** Refuses to be larger than the memory that is free for it. */
  static void requireFree(Path path, Geometry geometry) {
    long bytes = bytes(geometry);
    long free = path.getParent().toFile().getUsableSpace();
    if (free < bytes) {
      throw new UsageException(
          "%s has %,d MiB free, but shared samples are to take %,d MiB: set data.share.megabytes, or megabytes of an ensemble"
              .formatted(path.getParent(), free >> 20, bytes >> 20));
    }
  }

  /** Writes all of it, so that a lack of memory shows here and not at the first use. */
  private static void reserve(Path path, SharedFile file, long bytes) {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS);
      for (long written = 0; written < bytes; ) {
        written += channel.write(zeros.clear().limit((int) Math.min(ZEROS, bytes - written)));
      }
    } catch (IOException e) {
      file.resize(0);
      throw FileErrors.failure("write", path, e);
    }
  }

  Geometry geometry() {
    return geometry;
  }

  MemorySegment memory() {
    return memory;
  }

  Participants participants() {
    return participants;
  }

  static long consumer(int slot) {
    return CONSUMERS_AT + (long) slot * CONSUMER_BYTES;
  }

  long state(long chunk) {
    return CHUNKS_AT + chunk % geometry.chunks() * CHUNK_BYTES;
  }

  long payload(long chunk) {
    return payloadAt(geometry) + chunk % geometry.chunks() * geometry.chunkBytes();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    participants.leave();
    lock(file);
    if (participants.end()) {
      try {
        file.resize(REMOVED);
        Files.deleteIfExists(path);
      } catch (IOException e) {
        throw FileErrors.failure("delete", path, e);
      }
    }
    file.close();
  }
}
