package dev.tandem.comm.transport;

import dev.tandem.posix.Affinity;
import dev.tandem.posix.Capability;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Waiting awake for a counter in shared memory: spins, then yields, within the bounds of a {@link
 * WaitPolicy}. Who has no luck goes to sleep. For one thread at a time.
 *
 * <p>{@code Note [two ranks on one processor]}: ranks that the scheduler has put on one processor
 * meet by yielding again and again, a context switch each, while another processor idles; the
 * scheduler may leave them there for seconds. So when several waits in a row ended by a yield, one
 * of the two moves to another processor. Who moves must be agreed, or both would.
 */
final class Lookout {

  private static final int MEETINGS_BY_YIELD = 8;

  /** So long a spinning thread keeps its processor to itself. */
  private static final long ALONE_NANOS = 5_000;

  private static final int LOOKS_PER_CLOCK_READING = 32;
  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

  private final MemorySegment memory;
  private final WaitPolicy policy;
  private final Yielding yielding = new Yielding();
  private int meetingsByYield;

  Lookout(MemorySegment memory, WaitPolicy policy) {
    this.memory = memory;
    this.policy = policy;
  }

  /** Whether a counter has come to a value; it may wrap around. */
  static boolean reached(int counter, int value) {
    return counter - value >= 0;
  }

  /** Whether every rank has a processor of its own. */
  boolean dedicated() {
    return policy.yields() == 0;
  }

  /** Whether the counter at this place reached the value before it was time to go to sleep. */
  boolean meets(long place, int value) {
    return arrived(place, value)
        || spin(place, value, policy.spin().toNanos())
        || yields(place, value);
  }

  /** Moves away from the processor that this thread seems to share with those it waits for. */
  void makeRoom() {
    if (meetingsByYield >= MEETINGS_BY_YIELD) {
      meetingsByYield = 0;
      if (!Thread.currentThread().isVirtual()
          && Affinity.capability() instanceof Capability.Present<Affinity>(Affinity affinity)) {
        affinity.moveAway();
      }
    }
  }

  private boolean arrived(long place, int value) {
    return reached((int) WORD.getAcquire(memory, place), value);
  }

  /** Looks for so long. */
  // A young JVM's compilers need the processors too, or the awaited stays slow.
  @SuppressWarnings("ThreadPriorityCheck")
  boolean spin(long place, int value, long nanos) {
    long began = System.nanoTime();
    long passed;
    boolean yielded = false;
    do {
      for (int look = 0; look < LOOKS_PER_CLOCK_READING; look++) {
        if (arrived(place, value)) {
          meetingsByYield = yielded && look == 0 ? meetingsByYield + 1 : 0;
          return true;
        }
        Thread.onSpinWait();
      }
      passed = System.nanoTime() - began;
      if (passed > ALONE_NANOS) {
        Thread.yield();
        yielded = true;
      }
    } while (passed < nanos);
    return false;
  }

  // When ranks share processors, the awaited rank may need this one to run at all.
  private boolean yields(long place, int value) {
    yielding.begin(policy.yields());
    while (yielding.once()) {
      if (arrived(place, value)) {
        return true;
      }
    }
    return false;
  }
}
