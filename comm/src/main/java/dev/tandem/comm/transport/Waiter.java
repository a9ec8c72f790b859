package dev.tandem.comm.transport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.HashMap;
import java.util.Map;

/**
 * How a call of the program waits for its connections: it tries again and again for a while, then
 * sleeps until one of them is ready or somebody wakes it. One call at a time uses it; {@link #wake}
 * may come from any thread.
 */
final class Waiter implements Wakeable, AutoCloseable {

  /** A message between processes takes longer than a look into shared memory. */
  private static final long SPIN_FACTOR = 2;

  private static final long LOOK_NANOS = 2_000;

  /** So long a spinning thread keeps its processor to itself: about what a message takes. */
  private static final long ALONE_NANOS = 15_000;

  private final Selector selector;
  private final WaitPolicy policy;
  private final Map<TcpLane, SelectionKey> keys = new HashMap<>();
  private volatile Thread owner;
  private long spinEnd;
  private long aloneEnd;
  private final Yielding yielding;

  Waiter(WaitPolicy policy) {
    this.policy = policy;
    this.yielding = new Yielding(policy);
    try {
      this.selector = Selector.open();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a selector", e);
    }
  }

  /** The calling thread uses it from now on. */
  void begin() {
    owner = Thread.currentThread();
    spinEnd = 0;
  }

  /** Lets the call look around; it does so at once, or when it begins to sleep. */
  @Override
  public void wake() {
    if (!Thread.currentThread().equals(owner)) {
      selector.wakeup();
    }
  }

  /** Something has moved: the next wait begins anew. */
  void moved() {
    spinEnd = 0;
  }

  /** Whether it is time to sleep; until then the caller tries again. */
  boolean tired() {
    long now = System.nanoTime();
    if (spinEnd == 0) {
      spinEnd = now + SPIN_FACTOR * policy.spin().toNanos();
      aloneEnd = now + ALONE_NANOS;
      yielding.begin();
    }
    if (now < spinEnd) {
      if (now > aloneEnd) {
        yielding.offer();
      }
      pause(now);
      return false;
    }
    return !yielding.once();
  }

  /** Who looks all the time keeps the kernel from delivering: it needs the socket, too. */
  private static void pause(long now) {
    do {
      Thread.onSpinWait();
    } while (System.nanoTime() - now < LOOK_NANOS);
  }

  /** Sleep shall end when the lane is ready for these operations. */
  void watch(TcpLane lane, int operations) {
    try {
      SelectionKey key = keys.get(lane);
      if (key == null) {
        keys.put(lane, lane.channel().register(selector, operations));
      } else {
        key.interestOpsOr(operations);
      }
    } catch (ClosedChannelException | CancelledKeyException e) {
      // It was cut because a rank is lost, of which everybody will be told.
    }
  }

  /** Sleeps until a watched lane is ready or somebody wakes us; then nothing is watched. */
  void sleep() {
    try {
      selector.select();
      selector.selectedKeys().clear();
      for (SelectionKey key : keys.values()) {
        if (key.isValid()) {
          key.interestOps(0);
        }
      }
    } catch (CancelledKeyException e) {
      // Cut meanwhile; as above.
    } catch (IOException e) {
      throw new UncheckedIOException("cannot wait for connections", e);
    }
    spinEnd = 0;
  }

  @Override
  public void close() {
    try {
      selector.close();
    } catch (IOException e) {
      // Nothing waits on it any more.
    }
  }
}
