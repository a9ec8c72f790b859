package dev.tandem.sync.trace;

import dev.tandem.sync.agent.Transfer;
import java.util.Arrays;

/**
 * The last transfers and sleeps of this rank, for a comparison with those of the others. Guarded by
 * the lock of the {@link StepMeter}.
 */
final class TransferWindow {

  private static final int TRANSFERS = 1024;
  private static final int SLEEPS = 8192;

  private final Transfer[] transfers;
  private final long[] sleepBegins;
  private final long[] sleepEnds;
  private long end;
  private long sleeps;

  TransferWindow() {
    this(new Transfer[TRANSFERS], new long[SLEEPS], new long[SLEEPS], 0, 0);
  }

  private TransferWindow(
      Transfer[] transfers, long[] sleepBegins, long[] sleepEnds, long end, long sleeps) {
    this.transfers = transfers;
    this.sleepBegins = sleepBegins;
    this.sleepEnds = sleepEnds;
    this.end = end;
    this.sleeps = sleeps;
  }

  TransferWindow copy() {
    return new TransferWindow(
        transfers.clone(), sleepBegins.clone(), sleepEnds.clone(), end, sleeps);
  }

  void clear() {
    end = 0;
    sleeps = 0;
    Arrays.fill(transfers, null);
  }

  void add(Transfer transfer) {
    transfers[(int) (transfer.number() % TRANSFERS)] = transfer;
    end = Math.max(end, transfer.number() + 1);
  }

  void slept(long beginNanos, long endNanos) {
    int place = (int) (sleeps++ % SLEEPS);
    sleepBegins[place] = beginNanos;
    sleepEnds[place] = endNanos;
  }

  /** The number of the first transfer that is still there. */
  long first() {
    long first = Math.max(0, end - TRANSFERS);
    // Transfers that run side by side may end in another order: none may be missing in between.
    for (long number = end - 1; number >= first; number--) {
      Transfer transfer = transfers[(int) (number % TRANSFERS)];
      if (transfer == null || transfer.number() != number) {
        return number + 1;
      }
    }
    return first;
  }

  /** The number after that of the last transfer. */
  long end() {
    return end;
  }

  Transfer transfer(long number) {
    return transfers[(int) (number % TRANSFERS)];
  }

  /** How much of a time the background thread slept. */
  long sleptNanos(long fromNanos, long untilNanos) {
    long slept = 0;
    // The newest first: sleeps follow each other in time.
    for (long i = sleeps - 1; i >= Math.max(0, sleeps - SLEEPS); i--) {
      int place = (int) (i % SLEEPS);
      if (sleepEnds[place] - fromNanos <= 0) {
        break;
      }
      long begin = Math.max(sleepBegins[place] - fromNanos, 0);
      long end = Math.min(sleepEnds[place] - fromNanos, untilNanos - fromNanos);
      slept += Math.max(0, end - begin);
    }
    return slept;
  }
}
