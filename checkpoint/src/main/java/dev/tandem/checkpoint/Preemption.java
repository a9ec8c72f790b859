package dev.tandem.checkpoint;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns SIGTERM (and Ctrl-C), by which schedulers announce that a job must go, into a request: the
 * training loop sees it between two steps, saves, and ends the process or says that it is {@link
 * #ready}: then the JVM ends with the signal's usual code, 143 (130 for Ctrl-C). The job may be
 * started again later: it continues from that step.
 *
 * <p>The ranks of a job get the signal at different moments: they agree on the step by reducing
 * {@link #requested} with what they reduce anyway in a step. Any thread may ask.
 */
public final class Preemption implements AutoCloseable {

  private final CountDownLatch ready = new CountDownLatch(1);
  private final Thread hook;
  private volatile boolean requested;

  /**
   * Begins to listen.
   *
   * @param grace how long the JVM stays for the training to save; less than the scheduler's own
   */
  public Preemption(Duration grace) {
    hook =
        Thread.ofPlatform()
            .name("preemption")
            .unstarted(
                () -> {
                  requested = true;
                  try {
                    var _ = ready.await(grace.toMillis(), TimeUnit.MILLISECONDS);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** The process was asked to go. */
  public boolean requested() {
    return requested;
  }

  /** What should be saved is; the process may go. */
  public void ready() {
    ready.countDown();
  }

  /** Stops listening; if the JVM is already going down, it goes now. */
  @Override
  public void close() {
    ready.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The hook is running and will end by itself.
    }
  }
}
