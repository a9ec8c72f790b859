package dev.tandem.data.share;

import static dev.tandem.data.share.SharedWords.addInt;
import static dev.tandem.data.share.SharedWords.read;
import static dev.tandem.data.share.SharedWords.readInt;
import static dev.tandem.data.share.SharedWords.replaceInt;
import static dev.tandem.data.share.SharedWords.writeInt;

import dev.tandem.posix.SharedFile;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The processes that take part in a share: a row for each in its memory. Each holds a lock on a
 * byte of the file, which vanishes with its process: so all see who is there, however a process
 * ends. Any thread.
 */
final class Participants {

  static final int MOST = 128;
  static final int ROW_BYTES = 64;

  /** Tells apart those that have a row one after the other. */
  private static final int GENERATIONS = 1 << 9;

  /** The first byte is the lock of the share itself. */
  private static final long FIRST_LOCK = 1;

  private static final int NOBODY = -1;

  // Of a row.
  private static final int PRESENT = 0;
  private static final int THREADS = 4;
  private static final int GENERATION = 8;
  private static final int OWN_THREADS = 12;
  static final int PREPARED = 16;
  static final int BUSY_NANOS = 24;
  static final int CPU_NANOS = 32;
  private static final int PART = 40;
  private static final int PARTS = 44;

  private final SharedFile file;
  private final MemorySegment memory;
  private final int self;

  /** What those that had the row before have counted. */
  private final long[] before = {0, 0, 0};

  private Participants(SharedFile file, MemorySegment memory, int self) {
    this.file = file;
    this.memory = memory;
    this.self = self;
    for (int figure = 0; figure < before.length; figure++) {
      before[figure] = read(memory, row(self) + PREPARED + (long) figure * Long.BYTES);
    }
  }

  /** Takes a free row, whose process does not take part yet; empty if there is none. */
  static Optional<Participants> settle(SharedFile file, MemorySegment memory) {
    for (int slot = 0; slot < MOST; slot++) {
      if (file.tryLockOwn(FIRST_LOCK + slot)) {
        Participants all = new Participants(file, memory, slot);
        all.leaveAll(slot);
        memory.asSlice(row(slot), PREPARED).fill((byte) 0); // the figures are sums over all
        int generation = addInt(memory, ShareArea.GENERATIONS_AT, 1) % GENERATIONS;
        writeInt(memory, row(slot) + GENERATION, generation);
        return Optional.of(all);
      }
    }
    return Optional.empty();
  }

  /** Takes part, with threads that prepare all chunks or a part of them. */
  void begin(ShareOptions options) {
    writeInt(memory, ownRow() + PART, options.part());
    writeInt(memory, ownRow() + PARTS, options.parts());
    writeInt(memory, ownRow() + OWN_THREADS, options.threads());
    threadsNow(options.threads());
    watch();
    int most = readInt(memory, ShareArea.MOST_THREADS_AT);
    writeInt(memory, ShareArea.MOST_THREADS_AT, Math.max(most, ownThreads()));
  }

  /** Is there, without preparing anything. */
  void watch() {
    writeInt(memory, ownRow() + PRESENT, 1);
  }

  /** Lets the consumers of this process go. */
  void leave() {
    leaveAll(self);
  }

  /** Takes part no more; whether this was the last. */
  boolean end() {
    writeInt(memory, ownRow() + PRESENT, 0);
    return !anyone(file, self);
  }

  /** Whether there is a participant. */
  static boolean anyone(SharedFile file) {
    return anyone(file, NOBODY);
  }

  private static boolean anyone(SharedFile file, int except) {
    for (int slot = 0; slot < MOST; slot++) {
      if (slot != except && file.lockedByOther(FIRST_LOCK + slot)) {
        return true;
      }
    }
    return false;
  }

  /** This participant. */
  int self() {
    return self;
  }

  private long ownRow() {
    return row(self);
  }

  /** Counts for this participant. */
  void add(int figure, long value) {
    var _ = SharedWords.add(memory, ownRow() + figure, value);
  }

  /** What this participant has counted. */
  long own(int figure) {
    return read(memory, ownRow() + figure) - before[(figure - PREPARED) / Long.BYTES];
  }

  private static long row(int slot) {
    return ShareArea.PARTICIPANTS_AT + (long) slot * ROW_BYTES;
  }

  /** Whether a participant is there, as far as it has left in order or all have looked. */
  boolean present(int slot) {
    return readInt(memory, row(slot) + PRESENT) != 0;
  }

  /** What a maker signs with, 16 bits. */
  int signature() {
    return signature(self);
  }

  private int signature(int slot) {
    return readInt(memory, row(slot) + GENERATION) * MOST + slot;
  }

  /** Whether the maker with a signature is there. */
  boolean signerAlive(int signature) {
    int slot = signature % MOST;
    return signature(slot) == signature && alive(slot);
  }

  private boolean alive(int slot) {
    return slot == self || (present(slot) && file.lockedByOther(FIRST_LOCK + slot));
  }

  /** Looks for participants whose processes have ended, and strikes them off. */
  void strikeOff() {
    for (int slot = 0; slot < MOST; slot++) {
      if (present(slot) && !alive(slot)) {
        leaveAll(slot);
        writeInt(memory, row(slot) + PRESENT, 0);
      }
    }
  }

  /** Whether anyone is there whose part a chunk belongs to. */
  boolean anyoneMakes(long chunk) {
    for (int slot = 0; slot < MOST; slot++) {
      if (present(slot)
          && readInt(memory, row(slot) + OWN_THREADS) > 0
          && chunk % readInt(memory, row(slot) + PARTS) == readInt(memory, row(slot) + PART)) {
        return true;
      }
    }
    return false;
  }

  /** A number that changes whenever a participant comes. */
  int arrivals() {
    return readInt(memory, ShareArea.GENERATIONS_AT);
  }

  private void leaveAll(int slot) {
    for (int i = 0; i < ShareArea.CONSUMERS; i++) {
      long row = ShareArea.consumer(i);
      int state = readInt(memory, row + Consumer.STATE);
      if (Consumer.takesPart(state) && readInt(memory, row + Consumer.PARTICIPANT) == slot) {
        var _ = replaceInt(memory, row + Consumer.STATE, state, Consumer.LEFT);
      }
    }
  }

  /** Threads that prepare samples, of all participants. */
  int threads() {
    return threads(MOST);
  }

  /** Those of the participants before this one. */
  int threadsBefore() {
    return threads(self);
  }

  private int threads(int before) {
    int threads = 0;
    for (int slot = 0; slot < before; slot++) {
      threads += present(slot) ? readInt(memory, row(slot) + THREADS) : 0;
    }
    return threads;
  }

  /** How many threads prepare samples in this participant. */
  void threadsNow(int count) {
    writeInt(memory, ownRow() + THREADS, count);
  }

  /** Threads that participants brought with them, of those that are there. */
  private int ownThreads() {
    int threads = 0;
    for (int slot = 0; slot < MOST; slot++) {
      threads += present(slot) ? readInt(memory, row(slot) + OWN_THREADS) : 0;
    }
    return threads;
  }

  /** Threads that have left, if this is the first participant of those that prepare samples. */
  int threadsToTakeOver() {
    for (int slot = 0; slot < self; slot++) {
      if (present(slot) && readInt(memory, row(slot) + OWN_THREADS) > 0) {
        return 0;
      }
    }
    return Math.max(0, readInt(memory, ShareArea.MOST_THREADS_AT) - ownThreads());
  }

  /** A sum over participants, also those that have left. */
  long sum(int figure) {
    long sum = 0;
    for (int slot = 0; slot < MOST; slot++) {
      sum += read(memory, row(slot) + figure);
    }
    return sum;
  }
}
