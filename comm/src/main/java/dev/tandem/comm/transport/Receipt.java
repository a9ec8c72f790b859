package dev.tandem.comm.transport;

import dev.tandem.core.PeerLostException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * One receive that a thread waits for. Once a message was claimed for it, the call does not return
 * before the memory is left alone, even if a rank is lost meanwhile: the caller may free it.
 */
final class Receipt {

  private enum State {
    WAITING,
    CLAIMED,
    DONE,
    ABANDONED
  }

  private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
  private final MemorySegment target;
  private final Runnable wake;
  private MemorySegment parked;
  private volatile RuntimeException failure;

  /**
   * @param wake lets the thread that waits look around
   */
  Receipt(MemorySegment target, Runnable wake) {
    this.target = target;
    this.wake = wake;
  }

  MemorySegment target() {
    return target;
  }

  /** Whether this thread may write into the target itself. */
  boolean reachable() {
    return target.isAccessibleBy(Thread.currentThread());
  }

  /** Reserves the target for a message that arrives now. */
  boolean claim() {
    return state.compareAndSet(State.WAITING, State.CLAIMED);
  }

  /** The target of a claimed receipt is filled. */
  void complete() {
    finish();
  }

  /** Leaves the message for the waiter to copy, for only its thread may touch the target. */
  void completeFrom(MemorySegment message) {
    parked = message;
    finish();
  }

  /** A claimed receipt can never be filled. */
  void fail(RuntimeException reason) {
    failure = reason;
    finish();
  }

  private void finish() {
    state.set(State.DONE);
    wake.run();
  }

  /** Lets the waiter look around: something that concerns it has changed. */
  void nudge() {
    wake.run();
  }

  boolean done() {
    return state.get() == State.DONE;
  }

  /** Once it is done: throws if it failed; else the message is in the target. */
  void settle() {
    if (failure != null) {
      throw failure;
    }
    if (parked != null) {
      target.copyFrom(parked);
    }
  }

  /** Gives the receive up, unless a message was claimed for it. */
  boolean tryAbandon() {
    return state.compareAndSet(State.WAITING, State.ABANDONED);
  }

  /**
   * Waits until the message is in the target.
   *
   * @param watch asked about the sender whenever the waiter is woken
   */
  void await(PeerWatch watch) {
    boolean interrupted = false;
    try {
      while (state.get() != State.DONE) {
        if (state.get() == State.WAITING) {
          checkHope(watch);
        }
        if (state.get() != State.DONE) {
          LockSupport.park(this);
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    settle();
  }

  /** Gives the receive up; returns when nobody writes into the target any more. */
  void abandon() {
    while (!state.compareAndSet(State.WAITING, State.ABANDONED) && state.get() != State.DONE) {
      LockSupport.parkNanos(this, 1_000_000);
    }
  }

  /** Throws if the message can never come, unless it was claimed: then its writer is at work. */
  private void checkHope(PeerWatch watch) {
    try {
      watch.check();
    } catch (PeerLostException e) {
      if (state.compareAndSet(State.WAITING, State.ABANDONED)) {
        throw e;
      }
    }
    if (watch.gone() && state.compareAndSet(State.WAITING, State.ABANDONED)) {
      throw watch.lost();
    }
  }
}
