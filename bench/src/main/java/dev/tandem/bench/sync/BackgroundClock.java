package dev.tandem.bench.sync;

import dev.tandem.sync.agent.SyncObserver;
import dev.tandem.sync.agent.Transfer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Times what the synchroniser does, from {@link #begin} on. Thread-safe. */
final class BackgroundClock implements SyncObserver {

  private long agreements;
  private long waitNanos;
  private long transferNanos;
  private final List<Long> oversleeps = new ArrayList<>();

  /**
   * What was seen.
   *
   * @param agreements of all ranks on what comes next
   * @param waitNanos spent in them
   * @param transferNanos in which gradients were under way
   * @param oversleepMicros that 95% of the sleeps did not exceed; 0 if there were none
   */
  record Seen(long agreements, long waitNanos, long transferNanos, double oversleepMicros) {}

  @Override
  public synchronized void agreed(long beginNanos, long endNanos) {
    agreements++;
    waitNanos += endNanos - beginNanos;
  }

  @Override
  public synchronized void transferred(Transfer transfer) {
    transferNanos += transfer.endNanos() - transfer.beginNanos();
  }

  @Override
  public synchronized void slept(long wantedNanos, long beginNanos, long endNanos) {
    if (wantedNanos > 0) {
      oversleeps.add(endNanos - beginNanos - wantedNanos);
    }
  }

  synchronized void begin() {
    agreements = 0;
    waitNanos = 0;
    transferNanos = 0;
    oversleeps.clear();
  }

  synchronized Seen seen() {
    return new Seen(agreements, waitNanos, transferNanos, oversleepMicros());
  }

  private double oversleepMicros() {
    if (oversleeps.isEmpty()) {
      return 0;
    }
    List<Long> sorted = new ArrayList<>(oversleeps);
    Collections.sort(sorted);
    return sorted.get((int) (0.95 * (sorted.size() - 1))) / 1e3;
  }
}
