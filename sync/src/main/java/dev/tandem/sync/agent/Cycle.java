package dev.tandem.sync.agent;

import dev.tandem.sync.policy.Policy;
import java.util.concurrent.locks.LockSupport;

/** The sleep between two cycles of a negotiation. For one thread. */
final class Cycle {

  /** Of cycles that follow each other while the program waits: ranks may wait for other things. */
  private static final long SHORTEST_NANOS = 100_000;

  private final Policy.Negotiated policy;
  private final ControlPlane control;
  private final CycleSleep sleep;
  private final SyncObserver observer;
  private long lastStart;
  private long count;
  private long calls;

  Cycle(Policy.Negotiated policy, ControlPlane control, CycleSleep sleep, SyncObserver observer) {
    this.policy = policy;
    this.control = control;
    this.sleep = sleep;
    this.observer = observer;
    this.lastStart = System.nanoTime();
  }

  /** Sleeps until the next cycle is due, by this rank's clock or as all ranks agree. */
  void await() {
    long wanted = Math.max(0, lastStart + policy.cycle().toNanos() - System.nanoTime());
    count++;
    if (policy.globalSleepEvery() > 0 && count % policy.globalSleepEvery() == 0) {
      wanted = control.min(wanted);
    }
    long began = System.nanoTime();
    if (policy.eagerness() == Policy.Eagerness.WHEN_AWAITED) {
      sleepUntil(Math.min(lastStart + SHORTEST_NANOS, began + wanted));
      wanted = sleep.sleepUntil(began + wanted) - began;
    } else {
      sleepUntil(began + wanted);
    }
    lastStart = System.nanoTime();
    // A sleep that the program has ended was meant to be no longer than it was.
    observer.slept(Math.min(wanted, lastStart - began), began, lastStart);
  }

  /** A cycle begins: what the program has asked for so far takes part in it. */
  void begin() {
    calls = sleep.calls();
  }

  /** Everything that took part in the cycle is there. */
  void served() {
    // Else the next would begin at once, since the program is not yet back at work, and this rank
    // would look for the others' consent for as long as they compute.
    sleep.served(calls);
  }

  private static void sleepUntil(long end) {
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
