package dev.tandem.posix;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Sleeping and waking on a 32-bit word of memory, also between processes that map the same file.
 * The memory is native, 4-byte aligned and borrowed for the duration of the call. Thread-safe.
 */
public final class Futex {

  private static final int WAIT = 0;
  private static final int WAKE = 1;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private static final Capability<Futex> CAPABILITY = Linux.bind("futex", Futex::new);

  private final long number = Linux.number(202, 98);
  private final MethodHandle call;

  private Futex(Linker linker) {
    call =
        Linux.syscall(
            linker,
            FunctionDescriptor.of(
                Linux.LONG,
                Linux.LONG,
                ValueLayout.ADDRESS,
                Linux.INT,
                Linux.INT,
                ValueLayout.ADDRESS));
  }

  public static Capability<Futex> capability() {
    return CAPABILITY;
  }

  /**
   * Sleeps while the word has this value, until woken or until the time is over; may also return
   * for no reason, so callers look at the word again.
   */
  public void await(MemorySegment word, int expected, long nanos) {
    Linux.Scratch scratch = Linux.scratch();
    MemorySegment time = scratch.memory;
    time.set(Linux.LONG, 0, nanos / NANOS_PER_SECOND);
    time.set(Linux.LONG, Long.BYTES, nanos % NANOS_PER_SECOND);
    try {
      // EAGAIN, EINTR and ETIMEDOUT all mean: look again.
      var _ = (long) call.invokeExact(scratch.callState, number, word, WAIT, expected, time);
    } catch (Throwable e) {
      throw Linux.unexpected(e);
    }
  }

  /** Wakes all that sleep on the word. */
  public void wakeAll(MemorySegment word) {
    try {
      var _ =
          (long)
              call.invokeExact(
                  Linux.scratch().callState,
                  number,
                  word,
                  WAKE,
                  Integer.MAX_VALUE,
                  MemorySegment.NULL);
    } catch (Throwable e) {
      throw Linux.unexpected(e);
    }
  }
}
