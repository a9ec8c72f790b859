package dev.tandem.comm.transport;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Wakes the threads of one rank, from any process that maps it. Whoever changes something that the
 * rank may wait for rings afterwards, which costs one look as long as nobody sleeps.
 *
 * <p>{@code Note [no lost ring]}: a sleeper enters, hears the bell, looks a last time at what it
 * waits for, and sleeps only if the bell has not rung since. Who makes a change before that look
 * needs no bell; who makes it after finds the sleeper entered, and rings.
 */
final class Bell {

  private static final long RINGS = 0;
  private static final long SLEEPERS = Integer.BYTES;

  /** Not longer, in case a whole process was stopped between a change and its ring. */
  private static final long NAP_NANOS = 100_000_000;

  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

  private final MemorySegment memory;
  private final MemorySegment word;
  private final Doorbell doorbell = Doorbell.best();

  Bell(MemorySegment memory) {
    this.memory = memory;
    this.word = memory.asSlice(RINGS, Integer.BYTES);
  }

  /** Wakes all who sleep, or are about to. */
  void ring() {
    if ((int) WORD.getVolatile(memory, SLEEPERS) != 0) {
      WORD.getAndAdd(memory, RINGS, 1);
      doorbell.ring(word);
    }
  }

  /** The calling thread is about to sleep, and leaves later in any case. */
  void enter() {
    WORD.getAndAdd(memory, SLEEPERS, 1);
  }

  void leave() {
    WORD.getAndAdd(memory, SLEEPERS, -1);
  }

  /** How often it has rung. */
  int rings() {
    return (int) WORD.getVolatile(memory, RINGS);
  }

  /** Sleeps until the bell rings, unless it has since it was heard; may return early. */
  void sleep(int heard) {
    sleep(heard, NAP_NANOS);
  }

  /** The same, but looks up after so long at the latest. */
  void sleep(int heard, long nanos) {
    // A virtual thread that sleeps in the kernel keeps its carrier, which the awaited may need.
    Doorbell bell = Thread.currentThread().isVirtual() ? Doorbell.polling() : doorbell;
    bell.sleep(word, heard, nanos);
  }
}
