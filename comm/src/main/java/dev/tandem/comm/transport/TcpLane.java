package dev.tandem.comm.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tandem.comm.rendezvous.Deadline;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * One of the connections to another rank. The call that waits for a message reads the connection
 * itself, and what arrives for others on the way is handed to them; see {@code Note [who reads]}.
 */
final class TcpLane implements FrameReader.Handler {

  static final String BROKEN = "its connection broke in the middle of a message";

  private static final byte[] NO_TEXT = {};
  private static final int MAXIMUM_REASON = 1024;

  /** So long after a call has used the lane, the next is likely to come soon. */
  private static final long LINGER_NANOS = 5_000_000;

  private final TcpPeer peer;
  private final Faults faults;
  private final Wire wire;
  private final FrameWriter writer;
  private final FrameReader reader;
  private final Inbox inbox;
  private final AtomicInteger attendants = new AtomicInteger();
  private final AtomicInteger expected = new AtomicInteger();
  private final CountDownLatch readToTheEnd = new CountDownLatch(1);
  private volatile long lastAttended = System.nanoTime() - LINGER_NANOS;
  private volatile long lastHeard = System.nanoTime();
  private volatile boolean leaving;
  private volatile boolean left;
  private volatile boolean over;

  TcpLane(TcpPeer peer, Wire wire, Faults faults, Runnable jammed) {
    this.peer = peer;
    this.wire = wire;
    this.faults = faults;
    this.writer = new FrameWriter(wire, jammed);
    this.reader = new FrameReader(wire, this);
    this.inbox = new Inbox(peer.rank());
  }

  SocketChannel channel() {
    return wire.channel();
  }

  FrameWriter writer() {
    return writer;
  }

  Receipt post(int number, MemorySegment target, Runnable wake) {
    return inbox.post(number, target, wake);
  }

  /** A message is expected that no call waits for yet. */
  void expect() {
    expected.incrementAndGet();
  }

  /** A call waits for it now, or nobody wants it any more. */
  void expectNoLonger() {
    expected.decrementAndGet();
  }

  /** Whether messages are expected that no call waits for yet. */
  boolean expects() {
    return expected.get() > 0;
  }

  /** A call looks after this lane from now on. */
  void attend() {
    attendants.incrementAndGet();
  }

  void unattend() {
    lastAttended = System.nanoTime();
    attendants.decrementAndGet();
  }

  /** Whether a call looks after this lane, or did a moment ago. */
  boolean attended() {
    return !leaving && (attendants.get() > 0 || System.nanoTime() - lastAttended < LINGER_NANOS);
  }

  /** Whether nothing will be read any more. */
  boolean over() {
    return over;
  }

  /** Whether the rank has said on this lane that nothing follows. */
  boolean left() {
    return left;
  }

  /** Reads what has arrived, unless somebody else is at it; says whether anything had. */
  boolean serve() {
    if (over || !inbox.tryBegin()) {
      return false;
    }
    Optional<Receipt> awaited = Optional.empty();
    try {
      boolean moved = !over && reader.advance();
      if (moved) {
        lastHeard = System.nanoTime();
      }
      awaited = reader.awaited();
      return moved;
    } catch (IOException | RuntimeException e) {
      end(e);
      return true;
    } finally {
      inbox.end();
      awaited.ifPresent(Receipt::nudge);
    }
  }

  private void end(Exception e) {
    if (!left && !leaving) {
      String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      faults.lose(peer.rank(), "its connection broke (" + reason + ")");
    }
    over = true;
    inbox.breakOff(BROKEN);
    readToTheEnd.countDown();
    peer.wake();
  }

  @Override
  public Delivery begin(FrameKind kind, int number, long length) throws IOException {
    return switch (kind) {
      case DATA -> beginMessage(number, length);
      case MORE -> nextPiece(number, length);
      case LOST -> {
        if (length < 0 || length > MAXIMUM_REASON) {
          throw new IOException("a reason cannot have " + length + " bytes");
        }
        yield own(number, length).expect(length);
      }
      case CREDIT -> {
        peer.window().acknowledged(number, length);
        yield own(number, 0);
      }
      case HEARTBEAT, GOODBYE -> own(number, 0);
    };
  }

  private static Delivery own(int number, long length) {
    return new Delivery(number, MemorySegment.ofArray(new byte[(int) length]), Optional.empty());
  }

  private Delivery beginMessage(int number, long length) throws IOException {
    return inbox.begin(number, length).expect(Math.min(length, Outgoing.PIECE_BYTES));
  }

  private Delivery nextPiece(int number, long length) throws IOException {
    Delivery delivery = inbox.unfinished(number);
    if (delivery == null || length < 0 || length > delivery.rest()) {
      throw new IOException("a piece of " + length + " bytes belongs to no message");
    }
    return delivery.expect(length);
  }

  @Override
  public void end(FrameKind kind, Delivery delivery) {
    switch (kind) {
      case DATA, MORE -> inbox.arrived(delivery);
      case LOST ->
          faults.lose(
              delivery.number(),
              new String(delivery.target().toArray(ValueLayout.JAVA_BYTE), UTF_8));
      case GOODBYE -> {
        left = true;
        over = true;
        readToTheEnd.countDown();
        peer.wake();
        // Tells the leaver that all it sent has arrived; see Note [leaving without loss].
        endOutput();
      }
      case CREDIT, HEARTBEAT -> {}
    }
  }

  /** Gives a receive up; when this returns, nobody writes into its memory any more. */
  void abandon(Receipt receipt) {
    inbox.abandon(receipt);
  }

  /** Whether nothing was heard for so long, although the rank has not left. */
  boolean silentFor(Duration limit, long now) {
    return !left && now - lastHeard > limit.toNanos();
  }

  /** Starts the clock of silence again. */
  void forgive() {
    forgiveUntil(System.nanoTime());
  }

  /** Starts the clock of silence at that time, or with what is heard before. */
  void forgiveUntil(long nanoTime) {
    if (nanoTime - lastHeard > 0) {
      lastHeard = nanoTime;
    }
  }

  void heartbeat() {
    // What waits to leave is a sign of life too, as soon as the other side lets it.
    if (!left && (!writer.hasPosted() || writer.passOn())) {
      writer.post(FrameKind.HEARTBEAT, 0, 0, NO_TEXT);
    }
  }

  /** The program has taken this many bytes from a channel. */
  void acknowledge(int number, long bytes) {
    writer.post(FrameKind.CREDIT, number, bytes, NO_TEXT);
  }

  /** Begins to tell the rank that another was lost. */
  void announce(int lostRank, String reason) {
    byte[] text = reason.getBytes(UTF_8);
    byte[] bounded = text.length <= MAXIMUM_REASON ? text : Arrays.copyOf(text, MAXIMUM_REASON);
    writer.post(FrameKind.LOST, lostRank, bounded.length, bounded);
  }

  /** Waits until all small frames have left; says whether they have by the deadline. */
  boolean awaitPosted(Deadline deadline) {
    while (!writer.allPosted()) {
      if (deadline.passed()) {
        return false;
      }
      LockSupport.parkNanos(200_000);
      writer.passOn();
    }
    return true;
  }

  /**
   * Says goodbye: nothing is sent to this rank any more.
   *
   * <p>Note [leaving without loss]: a connection that is closed while something unread lies in its
   * receive buffer is reset by the kernel, which also drops what was written but not yet delivered,
   * the goodbye itself included. So a leaver ends its output only, goes on reading until the other
   * side has ended its output in answer to the goodbye, and closes then. With several lanes that
   * holds for each of them.
   */
  void sayGoodbye() {
    if (leaving) {
      return;
    }
    leaving = true;
    writer.post(FrameKind.GOODBYE, 0, 0, NO_TEXT);
    // With a jammed connection there is no goodbye, and ending the output would cut it off.
    if (awaitPosted(Deadline.in(Duration.ofMillis(100)))) {
      endOutput();
    }
  }

  /** Waits until the other side has ended its output, for a bounded time. */
  void awaitEnd(long nanos) throws InterruptedException {
    // A rank that hangs cannot answer; it is not ours to wait for.
    boolean _ = readToTheEnd.await(nanos, TimeUnit.NANOSECONDS);
  }

  private void endOutput() {
    try {
      wire.endOutput();
    } catch (IOException e) {
      // Closed already: there is nothing left to end.
    }
  }

  void nudgeAll() {
    inbox.nudgeAll();
  }

  /** Cuts the connection; threads that read or write it get an error. */
  void disconnect() {
    leaving = true;
    readToTheEnd.countDown();
    try {
      wire.close();
    } catch (IOException e) {
      // Closed is closed.
    }
  }
}
