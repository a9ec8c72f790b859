package dev.tandem.comm.transport;

import dev.tandem.core.PeerLostException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What a rank knows about losses: the first one decides, and it is made public to the rank's own
 * program only after the others were told (see {@code Note [naming the lost rank]}). Thread-safe.
 */
final class Faults {

  private record Loss(int rank, String reason) {}

  /** What a transport does about a loss. */
  interface Response {

    /** Tells the other ranks, within a short bounded time. */
    void announce(int lostRank, String reason);

    /** Wakes every call that waits, so that it sees the loss. */
    void wake();
  }

  private final Response response;
  private final AtomicReference<Loss> first = new AtomicReference<>();
  private final CountDownLatch known = new CountDownLatch(1);
  private final CountDownLatch told = new CountDownLatch(1);
  private volatile Loss published;

  Faults(Response response) {
    this.response = response;
  }

  /** Records a loss; only the first has any effect. Returns at once. */
  void lose(int rank, String reason) {
    Loss loss = new Loss(rank, reason);
    if (first.compareAndSet(null, loss)) {
      known.countDown();
      Thread.ofPlatform()
          .daemon()
          .name("tandem-announce-loss")
          .start(
              () -> {
                try {
                  response.announce(rank, reason);
                } finally {
                  published = loss;
                  told.countDown();
                  response.wake();
                }
              });
    }
  }

  /** Whether a loss is known, be it published or not. */
  boolean known() {
    return first.get() != null;
  }

  /** Records a loss, waits until the others were told, and throws with the name of the first. */
  PeerLostException loseAndThrow(int rank, String reason) {
    lose(rank, reason);
    awaitPublished();
    check();
    throw new IllegalStateException("a published loss was forgotten");
  }

  /** Waits until a known loss is published, which takes a bounded time. */
  void awaitPublished() {
    boolean interrupted = false;
    while (true) {
      try {
        told.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until a loss is known, for a bounded time; an interrupt ends the wait. */
  void awaitKnown(Duration patience) {
    try {
      if (!known.await(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Throws if a rank was lost. */
  void check() {
    Loss loss = published;
    if (loss != null) {
      throw new PeerLostException(loss.rank(), loss.reason());
    }
  }
}
