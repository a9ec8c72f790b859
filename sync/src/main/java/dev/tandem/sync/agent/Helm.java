package dev.tandem.sync.agent;

import java.util.concurrent.locks.Condition;

/**
 * Who does the agent's work: the background thread, unless it sleeps and has lent the helm to a
 * thread that waits for results. See {@code Note [who drives]} in the package's description.
 *
 * <p>Guarded by the lock of the {@link Intake}, to which the condition belongs. Nobody but the
 * background thread waits for that.
 */
final class Helm {

  /** For a sleep that ends only by being woken. */
  static final long FOREVER = Long.MAX_VALUE;

  /** A thread that is not woken since somebody else is about to work looks around so often. */
  static final long NAP_NANOS = 200_000_000;

  private final Condition news;
  // The background thread sleeps where another may go on: nothing that was begun is left open.
  private boolean asleep;
  private boolean napping;
  private boolean lent;
  private long turn;

  Helm(Condition news) {
    this.news = news;
  }

  /** The number of whoever's turn it is: another one once the helm was lent or handed back. */
  long turn() {
    return turn;
  }

  boolean lent() {
    return lent;
  }

  /** Gives the helm to the calling thread, if the background thread does not need it. */
  boolean lend() {
    if (!asleep || lent) {
      return false;
    }
    lent = true;
    turn++;
    return true;
  }

  /** It is the background thread's again, which goes on sleeping unless it is woken. */
  void handBack() {
    lent = false;
    turn++;
  }

  /** Wakes the background thread; while the helm is lent that is up to who hands it back. */
  void wake() {
    if (!lent) {
      news.signal();
    }
  }

  /** Whether the background thread sleeps and will look around soon, woken or not. */
  boolean napping() {
    return asleep && napping;
  }

  /** Whether the background thread sleeps until somebody wakes it. */
  boolean sleepsOn() {
    return asleep && !napping;
  }

  /** The background thread sleeps until it is woken, for so long at most; may end early. */
  @SuppressWarnings("WaitNotInLoop") // It is in that of the caller.
  void sleep(long nanos) {
    asleep = true;
    napping = nanos <= NAP_NANOS;
    try {
      news.awaitNanos(nanos);
    } catch (InterruptedException e) {
      // Nobody but the synchroniser knows its thread, and it does not interrupt it.
      throw new IllegalStateException(e);
    } finally {
      asleep = false;
    }
  }

  /** The background thread, which has woken up, sleeps on until the helm is its own. */
  void awaitHandBack() {
    while (lent) {
      sleep(NAP_NANOS);
    }
  }
}
