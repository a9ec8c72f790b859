package dev.tandem.data.share;

import static dev.tandem.data.share.SharedWords.addInt;
import static dev.tandem.data.share.SharedWords.read;
import static dev.tandem.data.share.SharedWords.readInt;
import static dev.tandem.data.share.SharedWords.replaceInt;
import static dev.tandem.data.share.SharedWords.write;
import static dev.tandem.data.share.SharedWords.writeInt;

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
 * that leaves. Each participant holds a lock on a byte of its own, which vanishes with its process:
 * so all see who is there, however a process ends. Thread-safe; the memory is valid until the
 * close.
 */
final class ShareArea implements AutoCloseable {

  static final int CONSUMERS = 128;
  static final int CONSUMER_BYTES = 256;
  static final int FINGERPRINT_BYTES = 32;
  static final int CHUNK_BYTES = 64;

  private static final int PARTICIPANTS = 128;

  /** Tells apart those that have a place one after the other. */
  private static final int GENERATIONS = 1 << 9;

  private static final int PARTICIPANT_BYTES = 64;
  private static final long POLL_NANOS = 1_000_000;
  private static final int ZEROS = 1 << 20;

  /** Locked while the area is made, joined or left; those of participants follow. */
  private static final long MUTEX = 0;

  private static final int NOBODY = -1;

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
  private static final long GENERATIONS_AT = 344;
  private static final long MOST_THREADS_AT = 348;
  private static final long PARTICIPANTS_AT = 512;
  static final long CONSUMERS_AT = PARTICIPANTS_AT + (long) PARTICIPANTS * PARTICIPANT_BYTES;
  static final long CHUNKS_AT = CONSUMERS_AT + (long) CONSUMERS * CONSUMER_BYTES;

  private static final int PAGE = 4096;

  /** What the memory has besides chunks and their states, at most. */
  static final long BOOKKEEPING = CHUNKS_AT + PAGE;

  // Of a participant.
  private static final int PRESENT = 0;
  private static final int THREADS = 4;
  private static final int GENERATION = 8;
  private static final int OWN_THREADS = 12;
  static final int PREPARED = 16;
  static final int BUSY_NANOS = 24;
  static final int CPU_NANOS = 32;

  private final Path path;
  private final SharedFile file;
  private final MemorySegment memory;
  private final Geometry geometry;
  private final int self;
  private boolean closed;

  private ShareArea(Path path, SharedFile file, MemorySegment memory, int self) {
    this.path = path;
    this.file = file;
    this.memory = memory;
    this.geometry =
        new Geometry(
            read(memory, GEOMETRY_AT),
            read(memory, GEOMETRY_AT + 8),
            (int) read(memory, GEOMETRY_AT + 16),
            (int) read(memory, GEOMETRY_AT + 24));
    this.self = self;
  }

  /**
   * Joins those who share.
   *
   * @param wanted how the memory is divided, if this one comes first
   * @param fingerprint of what is shared, the same for all
   * @param threads with which it prepares samples
   */
  static ShareArea join(Path path, Geometry wanted, byte[] fingerprint, int threads) {
    while (true) {
      SharedFile file = SharedFile.openOrCreate(path);
      boolean kept = false;
      try {
        lock(file);
        if (file.size() != REMOVED) {
          ShareArea area = entered(path, file, wanted, fingerprint);
          writeInt(area.memory, area.participant(area.self) + OWN_THREADS, threads);
          area.threadsNow(threads);
          writeInt(area.memory, area.participant(area.self) + PRESENT, 1);
          int most = readInt(area.memory, MOST_THREADS_AT);
          writeInt(area.memory, MOST_THREADS_AT, Math.max(most, area.ownThreads()));
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
      if (file.size() <= CHUNKS_AT || !anyone(file, NOBODY)) {
        return Optional.empty(); // being made or removed, or left by processes that were killed
      }
      ShareArea area = settled(path, file, file.map(file.size()));
      writeInt(area.memory, area.participant(area.self) + PRESENT, 1);
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
    boolean first = file.size() < CHUNKS_AT || !anyone(file, NOBODY);
    if (first) {
      sweep(path);
      file.resize(0); // what others left that were killed
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

  /** Takes a free place. */
  private static ShareArea settled(Path path, SharedFile file, MemorySegment memory) {
    for (int slot = 0; slot < PARTICIPANTS; slot++) {
      if (file.tryLockOwn(1 + slot)) {
        ShareArea area = new ShareArea(path, file, memory, slot);
        area.leaveAll(slot);
        memory.asSlice(area.participant(slot), PARTICIPANT_BYTES).fill((byte) 0);
        int generation = addInt(memory, GENERATIONS_AT, 1) % GENERATIONS;
        writeInt(memory, area.participant(slot) + GENERATION, generation);
        return area;
      }
    }
    throw new WorkFailedException(
        "more than %d processes share %s".formatted(PARTICIPANTS, path.getFileName()));
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
      if (file.tryLockOwn(MUTEX) && file.size() >= CHUNKS_AT && !anyone(file, NOBODY)) {
        file.resize(REMOVED);
        Files.deleteIfExists(other);
      }
    }
  }

  /** Whether there is a participant besides this one. */
  private static boolean anyone(SharedFile file, int except) {
    for (int slot = 0; slot < PARTICIPANTS; slot++) {
      if (slot != except && file.lockedByOther(1 + slot)) {
        return true;
      }
    }
    return false;
  }

  private static long bytes(Geometry geometry) {
    return payloadAt(geometry) + geometry.chunks() * geometry.chunkBytes();
  }

  private static long payloadAt(Geometry geometry) {
    return (CHUNKS_AT + (long) geometry.chunks() * CHUNK_BYTES + PAGE - 1) / PAGE * PAGE;
  }

  /** Writes all of it, so that a lack of memory shows here and not at the first use. */
  private static void reserve(Path path, SharedFile file, long bytes) {
    long free = path.getParent().toFile().getUsableSpace();
    if (free < bytes) {
      throw new UsageException(
          "%s has %,d MiB free, but the shared samples take %,d MiB: set data.share.megabytes"
              .formatted(path.getParent(), free >> 20, bytes >> 20));
    }
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

  /** This participant. */
  int self() {
    return self;
  }

  /** The row of this participant. */
  long ownRow() {
    return participant(self);
  }

  private long participant(int slot) {
    return PARTICIPANTS_AT + (long) slot * PARTICIPANT_BYTES;
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

  /** Whether a participant is there, as far as it has left in order or all have looked. */
  boolean present(int slot) {
    return readInt(memory, participant(slot) + PRESENT) != 0;
  }

  /** What a maker signs with, 16 bits. */
  int signature() {
    return signature(self);
  }

  private int signature(int slot) {
    return readInt(memory, participant(slot) + GENERATION) * PARTICIPANTS + slot;
  }

  /** Whether the maker with a signature is there. */
  boolean signerAlive(int signature) {
    int slot = signature % PARTICIPANTS;
    return signature(slot) == signature && alive(slot);
  }

  private boolean alive(int slot) {
    return slot == self || (present(slot) && file.lockedByOther(1 + slot));
  }

  /** Looks for participants whose processes have ended, and strikes them off. */
  void strikeOff() {
    for (int slot = 0; slot < PARTICIPANTS; slot++) {
      if (present(slot) && !alive(slot)) {
        leaveAll(slot);
        writeInt(memory, participant(slot) + PRESENT, 0);
      }
    }
  }

  private void leaveAll(int slot) {
    for (int i = 0; i < CONSUMERS; i++) {
      long row = consumer(i);
      int state = readInt(memory, row + Consumer.STATE);
      if (Consumer.takesPart(state) && readInt(memory, row + Consumer.PARTICIPANT) == slot) {
        var _ = replaceInt(memory, row + Consumer.STATE, state, Consumer.LEFT);
      }
    }
  }

  /** Threads that prepare samples, of all participants. */
  int threads() {
    return threads(PARTICIPANTS);
  }

  /** Those of the participants before this one. */
  int threadsBefore() {
    return threads(self);
  }

  private int threads(int before) {
    int threads = 0;
    for (int slot = 0; slot < before; slot++) {
      threads += present(slot) ? readInt(memory, participant(slot) + THREADS) : 0;
    }
    return threads;
  }

  /** How many threads prepare samples in this participant. */
  void threadsNow(int count) {
    writeInt(memory, participant(self) + THREADS, count);
  }

  /** Threads that participants brought with them, of those that are there. */
  private int ownThreads() {
    int threads = 0;
    for (int slot = 0; slot < PARTICIPANTS; slot++) {
      threads += present(slot) ? readInt(memory, participant(slot) + OWN_THREADS) : 0;
    }
    return threads;
  }

  /** Threads that have left, if this is the first participant of those that prepare samples. */
  int threadsToTakeOver() {
    for (int slot = 0; slot < self; slot++) {
      if (present(slot) && readInt(memory, participant(slot) + OWN_THREADS) > 0) {
        return 0;
      }
    }
    return Math.max(0, readInt(memory, MOST_THREADS_AT) - ownThreads());
  }

  /** A sum over participants, also those that have left in this run of the area. */
  long sum(int figure) {
    long sum = 0;
    for (int slot = 0; slot < PARTICIPANTS; slot++) {
      sum += read(memory, participant(slot) + figure);
    }
    return sum;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    leaveAll(self);
    lock(file);
    writeInt(memory, participant(self) + PRESENT, 0);
    if (!anyone(file, self)) {
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
