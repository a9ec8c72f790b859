package dev.tandem.sync.agent;

import dev.tandem.sync.policy.Policy;
import java.util.concurrent.locks.LockSupport;

/** The sleep between two cycles of a negotiation. For one thread. */
final class Cycle {

  private final Policy.Negotiated policy;
  private final ControlPlane control;
  private final SyncObserver observer;
  private long lastStart;
  private long count;

  Cycle(Policy.Negotiated policy, ControlPlane control, SyncObserver observer) {
    this.policy = policy;
    this.control = control;
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
    sleepUntil(began + wanted);
    lastStart = System.nanoTime();
    observer.slept(wanted, began, lastStart);
  }

  private static void sleepUntil(long end) {
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
