package dev.tandem.comm.transport;

import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Waiting awake: one switch of states, spin, yield, nap, within the bounds of a {@link WaitPolicy},
 * until it is time to sleep. The caller looks for what it waits for between two calls of {@link
 * #idle}. For one thread at a time.
 *
 * <p>{@code Note [when yielding is wrong]}: a thread that computes, as compilers do, keeps a core
 * that was yielded to it for milliseconds, while a sleeper gets one as soon as it is woken. So a
 * yield that took long is followed by a time without: ranks with a core of their own spin on,
 * others sleep at once.
 *
 * <p>Several yields in a row that another thread took show that two ranks wait on one core, so one
 * of them moves away; see {@code Note [where ranks wait]} in {@link CpuPlacement}.
 */
final class SpinWait {

  private enum State {
    SPIN,
    YIELD,
    NAP,
    SLEEP
  }

  private static final int LOOKS_PER_CLOCK_READING = 32;
  private static final long NAP_NANOS = 100_000;
  private static final long LONG_YIELD_NANOS = 500_000;
  private static final int WITHHELD_YIELDS = 200;

  /** A yield that no other thread took is shorter. */
  private static final long TAKEN_YIELD_NANOS = 2_500;

  private static final int TAKEN_YIELDS = 8;

  private final int looksPerClockReading;
  private final long spinEnd;
  private final long yieldEnd;
  private final long napEnd;
  private final OptionalInt sharedCore;
  private State state = State.SPIN;
  private int looks;
  private long began;
  private int withheldYields;
  private int takenYields;

  SpinWait(WaitPolicy policy) {
    this(policy, LOOKS_PER_CLOCK_READING);
  }

  /**
   * @param looksPerClockReading more for quick looks, which a clock reading would make slower
   */
  SpinWait(WaitPolicy policy, int looksPerClockReading) {
    this.looksPerClockReading = looksPerClockReading;
    this.spinEnd = policy.spin().toNanos();
    this.yieldEnd = spinEnd + policy.yield().toNanos();
    this.napEnd = yieldEnd + policy.nap().toNanos();
    this.sharedCore = policy.sharedCore();
  }

  /** A wait begins. */
  void begin() {
    state = State.SPIN;
    looks = spinEnd == 0 ? looksPerClockReading : 1;
    began = 0;
  }

  /** Lets a moment pass; false if it is time to sleep until another thread wakes this one. */
  boolean idle() {
    if (state != State.SPIN || looks % looksPerClockReading == 0) {
      long now = System.nanoTime();
      began = began == 0 ? now : began;
      state = after(now - began);
    }
    looks++;
    switch (state) {
      case SPIN -> Thread.onSpinWait();
      case YIELD -> yieldOnce();
      case NAP -> LockSupport.parkNanos(NAP_NANOS);
      case SLEEP -> {}
    }
    return state != State.SLEEP;
  }

  private State after(long nanos) {
    if (nanos < spinEnd) {
      return State.SPIN;
    }
    if (nanos < yieldEnd) {
      if (withheldYields == 0) {
        return State.YIELD;
      }
      withheldYields--;
      return sharedCore.isPresent() ? State.SLEEP : State.SPIN;
    }
    return nanos < napEnd ? State.NAP : State.SLEEP;
  }

  @SuppressWarnings("ThreadPriorityCheck") // Bounded, and no matter of correctness.
  private void yieldOnce() {
    if (sharedCore.isPresent()) {
      CpuPlacement.moveTo(sharedCore.getAsInt());
    }
    long before = System.nanoTime();
    Thread.yield();
    long took = System.nanoTime() - before;
    if (took > Math.max(LONG_YIELD_NANOS, yieldEnd)) {
      withheldYields = WITHHELD_YIELDS;
    }
    takenYields = took > TAKEN_YIELD_NANOS && took < LONG_YIELD_NANOS ? takenYields + 1 : 0;
    if (takenYields == TAKEN_YIELDS) {
      takenYields = 0;
      // With a chance of one half: if both ranks moved they would meet again.
      if (spinEnd > 0 && ThreadLocalRandom.current().nextBoolean()) {
        CpuPlacement.moveAway();
      }
    }
  }
}
