package dev.tandem.posix;

import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Sleeping and waking on a 32-bit word of memory, also between processes that map the same file.
 * The memory is native, 4-byte aligned and borrowed for the duration of the call. Thread-safe.
 */
public final class Futex {

  private static final long WAIT = 0;
  private static final long WAKE = 1;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private static final Capability<Futex> CAPABILITY = Linux.bind("futex", Futex::new);

  private final SystemCalls calls;

  private Futex(Linker linker) {
    calls = new SystemCalls(linker);
  }

  public static Capability<Futex> capability() {
    return CAPABILITY;
  }

  /**
   * Sleeps while the word has this value, until woken or until the time is over; may also return
   * for no reason, so callers look at the word again.
   */
  public void await(MemorySegment word, int expected, long nanos) {
    MemorySegment time = Linux.scratch().memory;
    time.set(Linux.LONG, 0, nanos / NANOS_PER_SECOND);
    time.set(Linux.LONG, Long.BYTES, nanos % NANOS_PER_SECOND);
    // EAGAIN, EINTR and ETIMEDOUT all mean: look again.
    call(word, WAIT, expected, time.address());
  }

  /** Wakes all that sleep on the word. */
  public void wakeAll(MemorySegment word) {
    call(word, WAKE, Integer.MAX_VALUE, 0);
  }

  private void call(MemorySegment word, long what, long number, long time) {
    try {
      var _ = calls.call(calls.futex, word.address(), what, number, time, 0, 0);
    } finally {
      Reference.reachabilityFence(word);
    }
  }
}
