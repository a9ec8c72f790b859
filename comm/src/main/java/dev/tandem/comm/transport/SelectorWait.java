package dev.tandem.comm.transport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * How a call of the program waits for its connections: it tries again and again for a while, then
 * sleeps until one of them is ready or another thread wakes it. One call at a time uses it; {@link
 * #wake} may come from any thread.
 */
final class SelectorWait implements Wakeable {

  /** A thread that reads all the time keeps the kernel from delivering: it needs the socket too. */
  private static final long LOOK_NANOS = 2_000;

  private final Selector selector;
  private final SpinWait spinWait;
  private final Map<TcpLane, SelectionKey> keys = new HashMap<>();
  private volatile Thread owner;

  private SelectorWait(WaitPolicy policy) {
    this.spinWait = new SpinWait(forConnections(policy), 1);
    try {
      this.selector = Selector.open();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open a selector", e);
    }
  }

  /** A message takes longer by a connection than by shared memory. */
  private static WaitPolicy forConnections(WaitPolicy policy) {
    return new WaitPolicy(
        policy.spin().multipliedBy(3),
        policy.yield().multipliedBy(2),
        policy.nap(),
        policy.sharedCore());
  }

  /** Those of a transport, kept because opening one costs several system calls. Thread-safe. */
  static final class Pool implements AutoCloseable {

    private final WaitPolicy policy;
    private final Queue<SelectorWait> all = new ConcurrentLinkedQueue<>();
    private final Deque<SelectorWait> idle = new ConcurrentLinkedDeque<>();

    Pool(WaitPolicy policy) {
      this.policy = policy;
    }

    /** One for the calling thread, to be given back. */
    SelectorWait take() {
      SelectorWait wait = idle.poll();
      if (wait == null) {
        wait = new SelectorWait(policy);
        all.add(wait);
      }
      wait.owner = Thread.currentThread();
      wait.spinWait.begin();
      return wait;
    }

    void giveBack(SelectorWait wait) {
      idle.push(wait);
    }

    /** Lets every call look around. */
    void wakeAll() {
      all.forEach(SelectorWait::wake);
    }

    @Override
    public void close() {
      for (SelectorWait wait : all) {
        try {
          wait.selector.close();
        } catch (IOException e) {
          // Nothing waits on it any more.
        }
      }
    }
  }

  /** Lets the call look around; it does so at once, or when it begins to sleep. */
  @Override
  public void wake() {
    if (!Thread.currentThread().equals(owner)) {
      selector.wakeup();
    }
  }

  /** Something has moved: the next wait begins. */
  void moved() {
    spinWait.begin();
  }

  /** Lets a moment pass; false if it is time to sleep. */
  boolean idle() {
    long began = System.nanoTime();
    boolean awake = spinWait.idle();
    while (awake && System.nanoTime() - began < LOOK_NANOS) {
      Thread.onSpinWait();
    }
    return awake;
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
      // It was cut because a rank is lost, of which all calls will hear.
    }
  }

  /** Sleeps until a watched lane is ready or another thread wakes us; then nothing is watched. */
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
    spinWait.begin();
  }
}
