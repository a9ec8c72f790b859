package dev.tandem.comm.transport;

import dev.tandem.posix.Futex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Wakes the sleeping threads of one rank, from any process that maps its memory. A thread that has
 * changed something that the rank may wait for signals afterwards, which costs one look as long as
 * no thread sleeps.
 *
 * <p>{@code Note [no lost signal]}: a sleeper enters, reads the count of signals, looks a last time
 * at what it waits for, and sleeps only if there was no signal since. A change made before that
 * look needs no signal; one made after finds the sleeper entered, and signals.
 */
final class WakeSignal {

  private static final long SIGNALS = 0;
  private static final long SLEEPERS = Integer.BYTES;

  /** Not longer, in case a whole process was stopped between a change and its signal. */
  static final long LONGEST_SLEEP_NANOS = 100_000_000;

  /** Between two looks where there is no futex. */
  private static final long NAP_NANOS = 50_000;

  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();
  private static final Optional<Futex> FUTEX = Futex.capability().value();

  private final MemorySegment memory;
  private final MemorySegment word;

  WakeSignal(MemorySegment memory) {
    this.memory = memory;
    this.word = memory.asSlice(SIGNALS, Integer.BYTES);
  }

  /**
   * Sleeps while a word of shared memory has this value, until it is woken; may return early. A
   * virtual thread naps instead: asleep in the kernel it would keep its carrier, which the awaited
   * thread may need.
   */
  static void sleep(MemorySegment word, int value, long nanos) {
    if (FUTEX.isPresent() && !Thread.currentThread().isVirtual()) {
      FUTEX.get().await(word, value, nanos);
    } else {
      LockSupport.parkNanos(Math.min(nanos, NAP_NANOS));
    }
  }

  /** Wakes all that sleep at a word. */
  static void wake(MemorySegment word) {
    if (FUTEX.isPresent()) {
      FUTEX.get().wakeAll(word);
    }
  }

  /** Wakes all that sleep, or are about to. */
  void signal() {
    if ((int) WORD.getVolatile(memory, SLEEPERS) != 0) {
      WORD.getAndAdd(memory, SIGNALS, 1);
      wake(word);
    }
  }

  /** The calling thread is about to sleep, and leaves later in any case. */
  void enter() {
    WORD.getAndAdd(memory, SLEEPERS, 1);
  }

  void leave() {
    WORD.getAndAdd(memory, SLEEPERS, -1);
  }

  /** How many signals there were. */
  int count() {
    return (int) WORD.getVolatile(memory, SIGNALS);
  }

  /** Sleeps until there is a signal, unless there was one since it was counted. */
  void sleep(int counted) {
    sleep(counted, LONGEST_SLEEP_NANOS);
  }

  /** The same, but for {@code nanos} at most. */
  void sleep(int counted, long nanos) {
    sleep(word, counted, nanos);
  }
}
