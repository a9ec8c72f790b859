package dev.tandem.comm.transport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;

/**
 * Reads the lanes that no call of the program looks after, in a thread of its own, so that losses
 * are heard of at once and no sender waits for a program that computes.
 *
 * <p>{@code Note [who reads]}: handing a message from a reading thread to the one that waits for it
 * costs more than moving a small one, so a call reads the lanes it waits for itself. This thread
 * keeps away from lanes that a call attends or attended a moment ago, and looks again after a nap;
 * a lane that is left alone it watches without a pause. Any thread may read a lane at any time, one
 * at once; what arrives for somebody else is handed over.
 */
final class LaneKeeper implements AutoCloseable {

  private static final long SHORTEST_NAP_MILLIS = 5;
  private static final long LONGEST_NAP_MILLIS = 40;

  private final List<TcpLane> lanes;
  private final SelectionKey[] keys;
  private final Selector selector;
  private final Thread thread;
  private long nap = SHORTEST_NAP_MILLIS;
  private volatile boolean closed;

  LaneKeeper(List<TcpLane> lanes, String name) {
    this.lanes = List.copyOf(lanes);
    this.keys = new SelectionKey[lanes.size()];
    this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
    try {
      this.selector = Selector.open();
      for (int i = 0; i < keys.length; i++) {
        keys[i] = lanes.get(i).channel().register(selector, 0, lanes.get(i));
      }
    } catch (ClosedChannelException e) {
      throw new IllegalStateException("a new connection is closed", e);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a selector", e);
    }
  }

  void start() {
    thread.start();
  }

  /** Lets it look around, because a lane is left alone or has something to send. */
  void wake() {
    selector.wakeup();
  }

  private void run() {
    while (!closed) {
      try {
        boolean attended = watchTheOthers();
        selector.select(attended ? nap : 0);
        if (!closed) {
          serve();
        }
      } catch (CancelledKeyException e) {
        // A lane was cut meanwhile.
      } catch (IOException e) {
        throw new UncheckedIOException("cannot wait for connections", e);
      }
    }
  }

  /** Says whether any lane is attended by a call. */
  private boolean watchTheOthers() {
    boolean attended = false;
    boolean changed = false;
    for (int i = 0; i < keys.length; i++) {
      TcpLane lane = lanes.get(i);
      if (!keys[i].isValid()) {
        continue;
      }
      boolean busy = lane.attended();
      attended |= busy;
      int operations =
          (busy || lane.over() ? 0 : SelectionKey.OP_READ)
              | (lane.writer().hasPosted() ? SelectionKey.OP_WRITE : 0);
      if (keys[i].interestOps() != operations) {
        keys[i].interestOps(operations);
        changed = true;
      }
    }
    nap = changed ? SHORTEST_NAP_MILLIS : Math.min(2 * nap, LONGEST_NAP_MILLIS);
    return attended;
  }

  private void serve() {
    for (SelectionKey key : selector.selectedKeys()) {
      TcpLane lane = (TcpLane) key.attachment();
      if (key.isWritable()) {
        lane.writer().passOn();
      }
      if (key.isReadable() && !lane.attended()) {
        lane.serve();
      }
    }
    selector.selectedKeys().clear();
  }

  @Override
  public void close() {
    closed = true;
    selector.wakeup();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    try {
      selector.close();
    } catch (IOException e) {
      // Nothing waits on it any more.
    }
  }
}
