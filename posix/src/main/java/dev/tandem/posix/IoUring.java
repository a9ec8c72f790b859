package dev.tandem.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Reads of one file past the page cache by io_uring: one system call submits many requests and
 * collects many completions. Where requests are a few pages, this takes less than half the
 * processor time of threads that read.
 *
 * <p>For the thread that opened it. Memory that is read into must stay until its result has come;
 * positions, lengths and addresses are multiples of the alignment of {@link PositionalFile}.
 */
public final class IoUring implements AutoCloseable {

  // Offsets in the structures that the kernel fills, and its constants; linux/io_uring.h.
  private static final int SIZEOF_IO_URING_PARAMS = 120;
  private static final int PARAMS_SQ_ENTRIES = 0;
  private static final int PARAMS_CQ_ENTRIES = 4;
  private static final int PARAMS_FLAGS = 8;
  private static final int PARAMS_FEATURES = 20;
  private static final int PARAMS_SQ_OFF = 40;
  private static final int PARAMS_CQ_OFF = 80;
  private static final int OFF_HEAD = 0;
  private static final int OFF_TAIL = 4;
  private static final int OFF_RING_MASK = 8;
  private static final int OFF_CQES = 20;
  private static final int OFF_ARRAY = 24;
  private static final int IORING_FEAT_SINGLE_MMAP = 1;
  private static final int IORING_SETUP_SINGLE_ISSUER = 1 << 12;
  private static final int IORING_SETUP_DEFER_TASKRUN = 1 << 13;
  private static final long IORING_OFF_SQ_RING = 0;
  private static final long IORING_OFF_SQES = 0x10000000L;
  private static final int SIZEOF_SQE = 64;
  private static final int SIZEOF_CQE = 16;
  private static final byte IORING_OP_READ = 22;
  private static final long IORING_ENTER_GETEVENTS = 1;
  private static final long IORING_REGISTER_IOWQ_MAX_WORKERS = 19;

  private static final long MAP_SHARED = 1;
  private static final long O_CLOEXEC = 0x80000;
  private static final int EINTR = 4;
  private static final int EAGAIN = 11;
  private static final int EBUSY = 16;

  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();
  private static final Capability<SystemCalls> CAPABILITY =
      Linux.bind("io_uring", SystemCalls::new);

  private final SystemCalls calls;
  private final long file;
  private final long ring;
  private final MemorySegment rings;
  private final MemorySegment entries;
  private final ByteBuffer results;
  private final ByteBuffer asked;
  private final int submissionMask;
  private final int resultMask;
  private final int resultsAt;
  private final MemorySegment submissionHead;
  private final MemorySegment submissionTail;
  private final MemorySegment resultHead;
  private final MemorySegment resultTail;

  /** What this thread has asked for, taken, and seen of the results, each since the beginning. */
  private int askedFor;

  private int taken;
  private int there;
  private int number;
  private int result;

  /**
   * Opens a queue for a file, for the calling thread; nothing where the kernel is too old or offers
   * no such queue to this process, or the file system no reads past the page cache.
   *
   * @param depth requests that may be under way
   */
  public static Optional<IoUring> open(Path file, int depth) {
    if (!(CAPABILITY instanceof Capability.Present<SystemCalls>(SystemCalls calls))) {
      return Optional.empty();
    }
    try (Arena arena = Arena.ofConfined()) {
      long name = arena.allocateFrom(file.toString()).address();
      long how = calls.pastPageCache | O_CLOEXEC;
      long opened = calls.call(calls.open, SystemCalls.CURRENT_FOLDER, name, how, 0, 0, 0);
      if (opened < 0) {
        return Optional.empty();
      }
      MemorySegment params = arena.allocate(SIZEOF_IO_URING_PARAMS, Long.BYTES);
      params.set(
          ValueLayout.JAVA_INT,
          PARAMS_FLAGS,
          IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
      long ring = calls.call(calls.ioUringSetup, depth, params.address(), 0, 0, 0, 0);
      if (ring >= 0
          && (params.get(ValueLayout.JAVA_INT, PARAMS_FEATURES) & IORING_FEAT_SINGLE_MMAP) != 0) {
        // Some file systems can only be waited for: there the kernel has a thread for each request,
        // of itself no more than four for each processor.
        MemorySegment workers = arena.allocateFrom(ValueLayout.JAVA_INT, depth, 0);
        calls.call(
            calls.ioUringRegister,
            ring,
            IORING_REGISTER_IOWQ_MAX_WORKERS,
            workers.address(),
            2,
            0,
            0);
        try {
          return Optional.of(new IoUring(calls, opened, ring, params));
        } catch (OutOfMemoryError e) {
          close(calls, ring, opened);
          throw e;
        }
      }
      close(calls, ring, opened);
      return Optional.empty();
    }
  }

  /** Those of the descriptors that there are. */
  private static void close(SystemCalls calls, long... descriptors) {
    for (long descriptor : descriptors) {
      if (descriptor >= 0) {
        calls.call(calls.close, descriptor, 0, 0, 0, 0, 0);
      }
    }
  }

  private IoUring(SystemCalls calls, long file, long ring, MemorySegment params) {
    this.calls = calls;
    this.file = file;
    this.ring = ring;
    ByteBuffer given = params.asByteBuffer().order(ByteOrder.nativeOrder());
    int room = given.getInt(PARAMS_SQ_ENTRIES);
    int arrayAt = given.getInt(PARAMS_SQ_OFF + OFF_ARRAY);
    this.resultsAt = given.getInt(PARAMS_CQ_OFF + OFF_CQES);
    long bytes =
        Math.max(
            arrayAt + (long) room * Integer.BYTES,
            resultsAt + (long) given.getInt(PARAMS_CQ_ENTRIES) * SIZEOF_CQE);
    this.rings = mapped(bytes, IORING_OFF_SQ_RING);
    this.entries = mapped((long) room * SIZEOF_SQE, IORING_OFF_SQES);
    this.results = rings.asByteBuffer().order(ByteOrder.nativeOrder());
    this.asked = entries.asByteBuffer().order(ByteOrder.nativeOrder());
    this.submissionMask = results.getInt(given.getInt(PARAMS_SQ_OFF + OFF_RING_MASK));
    this.resultMask = results.getInt(given.getInt(PARAMS_CQ_OFF + OFF_RING_MASK));
    this.submissionHead = word(given.getInt(PARAMS_SQ_OFF + OFF_HEAD));
    this.submissionTail = word(given.getInt(PARAMS_SQ_OFF + OFF_TAIL));
    this.resultHead = word(given.getInt(PARAMS_CQ_OFF + OFF_HEAD));
    this.resultTail = word(given.getInt(PARAMS_CQ_OFF + OFF_TAIL));
    for (int i = 0; i < room; i++) {
      results.putInt(arrayAt + i * Integer.BYTES, i);
    }
  }

  @SuppressWarnings("restricted") // this module is where foreign calls live
  private MemorySegment mapped(long bytes, long what) {
    long address = calls.call(calls.map, 0, bytes, SystemCalls.READ_WRITE, MAP_SHARED, ring, what);
    if (address < 0) {
      throw new OutOfMemoryError("cannot map " + bytes + " bytes for io_uring");
    }
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  private MemorySegment word(int offset) {
    return rings.asSlice(offset, Integer.BYTES);
  }

  /**
   * Prepares a read of the file; {@link #submitAndWait} submits it. No more may be asked for
   * without taking results than may be under way.
   *
   * @param at where in memory they go
   * @param number comes back with the result
   */
  public void prepareRead(MemorySegment memory, long at, long position, int length, int number) {
    int entry = (askedFor++ & submissionMask) * SIZEOF_SQE;
    asked.putLong(entry, IORING_OP_READ | file << 32);
    asked.putLong(entry + 8, position);
    asked.putLong(entry + 16, memory.address() + at);
    asked.putLong(entry + 24, length);
    asked.putLong(entry + 32, number);
    asked.putLong(entry + 40, 0);
    asked.putLong(entry + 48, 0);
    asked.putLong(entry + 56, 0);
  }

  /**
   * Submits the prepared requests, and returns when at least {@code least} results can be taken.
   */
  public void submitAndWait(int least) {
    WORD.setRelease(submissionTail, 0L, askedFor);
    while (true) {
      int over = askedFor - (int) WORD.getAcquire(submissionHead, 0L);
      long done = calls.call(calls.ioUringEnter, ring, over, least, IORING_ENTER_GETEVENTS, 0, 0);
      there = (int) WORD.getAcquire(resultTail, 0L);
      if (done < 0) {
        int errno = Linux.scratch().errno();
        if (errno != EINTR && errno != EAGAIN && errno != EBUSY) {
          throw new IllegalStateException("io_uring_enter failed: errno " + errno);
        }
      }
      boolean all = (int) WORD.getAcquire(submissionHead, 0L) == askedFor;
      if (there - taken >= least && all) {
        return;
      }
      if (there != taken && !all) {
        return; // No room for more until results are taken.
      }
    }
  }

  /** Takes a result, if the last {@link #submitAndWait} has brought one. */
  public boolean next() {
    if (taken == there) {
      return false;
    }
    int at = resultsAt + (taken++ & resultMask) * SIZEOF_CQE;
    number = (int) results.getLong(at);
    result = results.getInt(at + 8);
    WORD.setRelease(resultHead, 0L, taken);
    return true;
  }

  /** Whose the result is that was taken last. */
  public int number() {
    return number;
  }

  /** How many bytes were read, or an error's number below zero. */
  public int result() {
    return result;
  }

  /** After all results have been taken. */
  @Override
  public void close() {
    calls.call(calls.unmap, entries.address(), entries.byteSize(), 0, 0, 0, 0);
    calls.call(calls.unmap, rings.address(), rings.byteSize(), 0, 0, 0, 0);
    close(calls, ring, file);
  }
}
