package dev.tandem.bench.sync;

import dev.tandem.sync.agent.SyncObserver;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Times what the background thread does, from {@link #begin} on. Thread-safe. */
final class BackgroundClock implements SyncObserver {

  private long waitNanos;
  private final List<Long> oversleeps = new ArrayList<>();

  @Override
  public synchronized void agreed(long beginNanos, long endNanos) {
    waitNanos += endNanos - beginNanos;
  }

  @Override
  public synchronized void slept(long wantedNanos, long beginNanos, long endNanos) {
    if (wantedNanos > 0) {
      oversleeps.add(endNanos - beginNanos - wantedNanos);
    }
  }

  synchronized void begin() {
    waitNanos = 0;
    oversleeps.clear();
  }

  synchronized long waitNanos() {
    return waitNanos;
  }

  /** That 95% of the sleeps did not exceed; 0 if there were none. */
  synchronized double oversleepMicros() {
    if (oversleeps.isEmpty()) {
      return 0;
    }
    List<Long> sorted = new ArrayList<>(oversleeps);
    Collections.sort(sorted);
    return sorted.get((int) (0.95 * (sorted.size() - 1))) / 1e3;
  }
}
