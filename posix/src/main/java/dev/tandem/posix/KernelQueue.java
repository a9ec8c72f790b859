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
 * Reads of one file past the page cache by the kernel's own queue (io_uring): one call hands many
 * requests over and takes the results of many. Where requests are a few pages, this takes less than
 * half the processor time of threads that read.
 *
 * <p>For the thread that opened it. Memory that is read into must stay until its result has come;
 * positions, lengths and addresses are multiples of the alignment of {@link PositionalFile}.
 */
public final class KernelQueue implements AutoCloseable {

  // Offsets in the structures that the kernel fills, and its constants; linux/io_uring.h.
  private static final int PARAMS_BYTES = 120;
  private static final int PARAMS_SUBMISSIONS = 0;
  private static final int PARAMS_RESULTS = 4;
  private static final int PARAMS_FLAGS = 8;
  private static final int PARAMS_FEATURES = 20;
  private static final int PARAMS_SUBMISSION_OFFSETS = 40;
  private static final int PARAMS_RESULT_OFFSETS = 80;
  private static final int OFFSET_HEAD = 0;
  private static final int OFFSET_TAIL = 4;
  private static final int OFFSET_MASK = 8;
  private static final int OFFSET_RESULTS = 20;
  private static final int OFFSET_ARRAY = 24;
  private static final int ONE_MAPPING = 1;
  private static final int ONE_THREAD_WHEN_ASKED = 1 << 12 | 1 << 13;
  private static final long RINGS = 0;
  private static final long ENTRIES = 0x10000000L;
  private static final int ENTRY = 64;
  private static final int RESULT = 16;
  private static final byte READ = 22;
  private static final long WAIT = 1;
  private static final long MOST_WORKERS = 19;

  private static final long SHARED = 1;
  private static final long NOT_FOR_CHILDREN = 0x80000;
  private static final int INTERRUPTED = 4;
  private static final int AGAIN = 11;
  private static final int BUSY = 16;

  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();
  private static final Capability<SystemCalls> CAPABILITY =
      Linux.bind("the kernel's queue of requests", SystemCalls::new);

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
  public static Optional<KernelQueue> open(Path file, int depth) {
    if (!(CAPABILITY instanceof Capability.Present<SystemCalls>(SystemCalls calls))) {
      return Optional.empty();
    }
    try (Arena arena = Arena.ofConfined()) {
      long name = arena.allocateFrom(file.toString()).address();
      long how = calls.pastPageCache | NOT_FOR_CHILDREN;
      long opened = calls.call(calls.open, SystemCalls.CURRENT_FOLDER, name, how, 0, 0, 0);
      if (opened < 0) {
        return Optional.empty();
      }
      MemorySegment params = arena.allocate(PARAMS_BYTES, Long.BYTES);
      params.set(ValueLayout.JAVA_INT, PARAMS_FLAGS, ONE_THREAD_WHEN_ASKED);
      long ring = calls.call(calls.queueSetup, depth, params.address(), 0, 0, 0, 0);
      if (ring >= 0 && (params.get(ValueLayout.JAVA_INT, PARAMS_FEATURES) & ONE_MAPPING) != 0) {
        // Some file systems can only be waited for: there the kernel has a thread for each request,
        // of itself no more than four for each processor.
        MemorySegment workers = arena.allocateFrom(ValueLayout.JAVA_INT, depth, 0);
        calls.call(calls.queueRegister, ring, MOST_WORKERS, workers.address(), 2, 0, 0);
        try {
          return Optional.of(new KernelQueue(calls, opened, ring, params));
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

  private KernelQueue(SystemCalls calls, long file, long ring, MemorySegment params) {
    this.calls = calls;
    this.file = file;
    this.ring = ring;
    ByteBuffer given = params.asByteBuffer().order(ByteOrder.nativeOrder());
    int room = given.getInt(PARAMS_SUBMISSIONS);
    int arrayAt = given.getInt(PARAMS_SUBMISSION_OFFSETS + OFFSET_ARRAY);
    this.resultsAt = given.getInt(PARAMS_RESULT_OFFSETS + OFFSET_RESULTS);
    long bytes =
        Math.max(
            arrayAt + (long) room * Integer.BYTES,
            resultsAt + (long) given.getInt(PARAMS_RESULTS) * RESULT);
    this.rings = mapped(bytes, RINGS);
    this.entries = mapped((long) room * ENTRY, ENTRIES);
    this.results = rings.asByteBuffer().order(ByteOrder.nativeOrder());
    this.asked = entries.asByteBuffer().order(ByteOrder.nativeOrder());
    this.submissionMask = results.getInt(given.getInt(PARAMS_SUBMISSION_OFFSETS + OFFSET_MASK));
    this.resultMask = results.getInt(given.getInt(PARAMS_RESULT_OFFSETS + OFFSET_MASK));
    this.submissionHead = word(given.getInt(PARAMS_SUBMISSION_OFFSETS + OFFSET_HEAD));
    this.submissionTail = word(given.getInt(PARAMS_SUBMISSION_OFFSETS + OFFSET_TAIL));
    this.resultHead = word(given.getInt(PARAMS_RESULT_OFFSETS + OFFSET_HEAD));
    this.resultTail = word(given.getInt(PARAMS_RESULT_OFFSETS + OFFSET_TAIL));
    for (int i = 0; i < room; i++) {
      results.putInt(arrayAt + i * Integer.BYTES, i);
    }
  }

  @SuppressWarnings("restricted") // this module is where foreign calls live
  private MemorySegment mapped(long bytes, long what) {
    long address = calls.call(calls.map, 0, bytes, SystemCalls.READ_WRITE, SHARED, ring, what);
    if (address < 0) {
      throw new OutOfMemoryError("the system has no " + bytes + " bytes for a queue of requests");
    }
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  private MemorySegment word(int offset) {
    return rings.asSlice(offset, Integer.BYTES);
  }

  /**
   * Asks for bytes of the file; {@link #exchange} hands the request over. No more may be asked for
   * without taking results than may be under way.
   *
   * @param at where in memory they go
   * @param number comes back with the result
   */
  public void ask(MemorySegment memory, long at, long position, int length, int number) {
    int entry = (askedFor++ & submissionMask) * ENTRY;
    asked.putLong(entry, READ | file << 32);
    asked.putLong(entry + 8, position);
    asked.putLong(entry + 16, memory.address() + at);
    asked.putLong(entry + 24, length);
    asked.putLong(entry + 32, number);
    asked.putLong(entry + 40, 0);
    asked.putLong(entry + 48, 0);
    asked.putLong(entry + 56, 0);
  }

  /** Hands over what was asked for, and returns when at least so many results can be taken. */
  public void exchange(int least) {
    WORD.setRelease(submissionTail, 0L, askedFor);
    while (true) {
      int over = askedFor - (int) WORD.getAcquire(submissionHead, 0L);
      long done = calls.call(calls.queueEnter, ring, over, least, WAIT, 0, 0);
      there = (int) WORD.getAcquire(resultTail, 0L);
      if (done < 0) {
        int errno = Linux.scratch().errno();
        if (errno != INTERRUPTED && errno != AGAIN && errno != BUSY) {
          throw new IllegalStateException("the kernel's queue refuses requests: error " + errno);
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

  /** Takes a result, if there is one that the last exchange has brought. */
  public boolean next() {
    if (taken == there) {
      return false;
    }
    int at = resultsAt + (taken++ & resultMask) * RESULT;
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
