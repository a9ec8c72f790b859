package dev.tandem.sync.trace;

import dev.tandem.sync.agent.SyncObserver;
import dev.tandem.sync.agent.Transfer;
import java.nio.file.Path;

/**
 * Adds up where the time of one rank's steps goes. The training loop tells how long it waited for
 * input and how long it computed; the synchroniser, which it observes, tells the rest; the kernel
 * tells how long threads that could have run had to wait for a core. Thread-safe.
 */
public final class StepMeter implements SyncObserver {

  private static final Path TASKS = Path.of("/proc/self/task");

  private final CisWindow cis;
  private final TransferWindow window = new TransferWindow();
  private Oversleep oversleep = new Oversleep();
  private long steps;
  private long computesSince;
  private long inputNanos;
  private long computeNanos;
  private long agreementNanos;
  private long transferNanos;
  private long oversleepNanos;
  private final CoreWait coreWait = new CoreWait(TASKS);
  private final CoreWait coreWaitByItself = new CoreWait(TASKS);

  /**
   * A meter that has seen nothing.
   *
   * @param inputThreads how the names of threads begin that read and prepare samples
   */
  public StepMeter(String inputThreads) {
    cis = new CisWindow(new InputActivity(inputThreads));
  }

  /** The input of a step is there, and the network begins to compute. */
  public synchronized void computes() {
    computesSince = System.nanoTime();
    cis.computes(computesSince);
  }

  /** A step is over. */
  public synchronized void step(long waitedForInputNanos, long computedNanos) {
    long now = System.nanoTime();
    cis.closes(now);
    cis.ends(waitedForInputNanos + (computesSince == 0 ? computedNanos : now - computesSince));
    steps++;
    inputNanos += waitedForInputNanos;
    computeNanos += computedNanos;
  }

  @Override
  public synchronized void began() {
    window.clear();
  }

  @Override
  public synchronized void agreed(long beginNanos, long endNanos) {
    agreementNanos += endNanos - beginNanos;
  }

  @Override
  public synchronized void transferred(Transfer transfer) {
    transferNanos += transfer.endNanos() - transfer.beginNanos();
    cis.closes(transfer.beginNanos());
    window.add(transfer);
  }

  @Override
  public synchronized void slept(long wantedNanos, long beginNanos, long endNanos) {
    window.slept(beginNanos, endNanos);
    if (wantedNanos > 0) {
      long excess = Math.max(0, endNanos - beginNanos - wantedNanos);
      oversleepNanos += excess;
      oversleep.add(excess);
    }
  }

  /** Means of a step since the last reading; counts from here again. */
  synchronized StepTimes readTimes() {
    double each = 1e6 * Math.max(1, steps);
    StepTimes times =
        new StepTimes(
            inputNanos / each,
            computeNanos / each,
            coreWait.sinceLast() / each,
            agreementNanos / each,
            transferNanos / each,
            oversleepNanos / each,
            cis.readShare());
    steps = 0;
    inputNanos = 0;
    computeNanos = 0;
    agreementNanos = 0;
    transferNanos = 0;
    oversleepNanos = 0;
    return times;
  }

  /** How long threads had to wait for a core since the last call of this method. */
  synchronized long readCoreWaitNanos() {
    return coreWaitByItself.sinceLast();
  }

  /** How long sleeps were too long since the last reading; counts from here again. */
  synchronized Oversleep readOversleep() {
    Oversleep read = oversleep;
    oversleep = new Oversleep();
    return read;
  }

  /** The last transfers and sleeps, as they are now. */
  synchronized TransferWindow window() {
    return window.copy();
  }
}
