package dev.tandem.comm.transport;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Waiting awake for a counter in shared memory: spins, then yields, within the bounds of a {@link
 * WaitPolicy}. Who has no luck goes to sleep. For one thread at a time.
 */
final class Lookout {

  /** So long a spinning thread keeps its processor to itself. */
  private static final long ALONE_NANOS = 5_000;

  /** Between two looks of who naps. */
  private static final long NAP_NANOS = 100_000;

  private static final int LOOKS_PER_CLOCK_READING = 32;
  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

  private final MemorySegment memory;
  private final WaitPolicy policy;
  private final Yielding yielding;
  private long began;

  Lookout(MemorySegment memory, WaitPolicy policy) {
    this.memory = memory;
    this.policy = policy;
    this.yielding = new Yielding(policy);
  }

  /** Whether a counter has come to a value; it may wrap around. */
  static boolean reached(int counter, int value) {
    return counter - value >= 0;
  }

  /** Whether the counter at this place reached the value before it was time to go to sleep. */
  boolean meets(long place, int value) {
    if (arrived(place, value)) {
      return true;
    }
    began = System.nanoTime();
    return spin(place, value, began, policy.spin().toNanos()) || yields(place, value);
  }

  /** Whether a sleeper of this manner wakes up by itself before a regular wait ends. */
  boolean foresees() {
    return policy.manner() == WaitPolicy.Manner.ADAPTIVE;
  }

  /** When the wait began that has had no luck. */
  long began() {
    return began;
  }

  private boolean arrived(long place, int value) {
    return reached((int) WORD.getAcquire(memory, place), value);
  }

  /** Looks for so long. */
  boolean spin(long place, int value, long nanos) {
    return spin(place, value, System.nanoTime(), nanos);
  }

  private boolean spin(long place, int value, long from, long nanos) {
    long passed;
    do {
      for (int look = 0; look < LOOKS_PER_CLOCK_READING; look++) {
        if (arrived(place, value)) {
          return true;
        }
        Thread.onSpinWait();
      }
      passed = System.nanoTime() - from;
      letOthersRun(passed);
    } while (passed < nanos);
    return false;
  }

  private void letOthersRun(long passed) {
    switch (policy.manner()) {
      case ADAPTIVE -> {
        if (passed > ALONE_NANOS) {
          yielding.offer();
        }
      }
      case YIELDING -> yielding.always();
      case NAPPING -> LockSupport.parkNanos(NAP_NANOS);
      case SPINNING, PARKED -> {}
    }
  }

  // When ranks share processors, the awaited rank may need this one to run at all.
  private boolean yields(long place, int value) {
    yielding.begin();
    while (yielding.once()) {
      if (arrived(place, value)) {
        return true;
      }
    }
    return false;
  }
}
