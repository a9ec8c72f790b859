package dev.tandem.comm.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tandem.comm.rendezvous.Deadline;
import dev.tandem.core.PeerLostException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The connection to one other rank. A thread of its own reads it and never waits for anything but
 * the connection; writes come from the threads of the program.
 */
final class TcpPeer implements PeerWatch {

  /** Larger messages travel as several frames, cut alike on both sides. */
  static final long MAXIMUM_FRAME = 256L << 20;

  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);
  private static final int MAXIMUM_REASON = 1024;
  private static final String BROKEN = "its connection broke in the middle of a message";
  private static final String LEFT = "it left the job while others needed it";

  private final int rank;
  private final SocketChannel channel;
  private final FrameWriter writer;
  private final Mailbox mailbox;
  private final Window window = new Window();
  private final Faults faults;
  private volatile long lastHeard = System.nanoTime();
  private final CountDownLatch readerEnded = new CountDownLatch(1);
  private volatile boolean left;
  private volatile boolean leaving;

  TcpPeer(int rank, SocketChannel channel, Faults faults) {
    this.rank = rank;
    this.channel = channel;
    this.writer = new FrameWriter(channel);
    this.mailbox = new Mailbox(rank);
    this.faults = faults;
  }

  void start(int myRank) {
    Thread.ofPlatform()
        .daemon()
        .name("tandem-read-%d-from-%d".formatted(myRank, rank))
        .start(this::readAll);
  }

  void send(int number, MemorySegment data) {
    checkAlive();
    window.acquire(number, data.byteSize(), this::checkAlive);
    try {
      writer.write(FrameKind.DATA, number, data);
    } catch (IOException e) {
      throw explain(e);
    }
  }

  Receipt post(int number, MemorySegment target) {
    faults.check();
    return mailbox.post(number, target);
  }

  void await(int number, Receipt receipt) {
    try {
      receipt.await(this);
    } catch (PeerLostException e) {
      // Whatever this connection says, the first loss is the one to name.
      throw faults.loseAndThrow(e.lostRank(), BROKEN);
    }
    long bytes = window.received(number, receipt.target().byteSize());
    if (bytes > 0 && !left) {
      try {
        writer.writeBare(FrameKind.CREDIT, number, bytes);
      } catch (IOException e) {
        // If it matters, the reading thread will say so.
        faults.check();
      }
    }
  }

  /** A failed write says only that the connection is gone; the reader knows whose fault it is. */
  private RuntimeException explain(IOException e) {
    faults.awaitKnown(Duration.ofSeconds(1));
    throw faults.loseAndThrow(rank, left ? LEFT : "writing to it failed: " + e.getMessage());
  }

  private void checkAlive() {
    check();
    if (left) {
      throw lost();
    }
  }

  @Override
  public void check() {
    faults.check();
  }

  @Override
  public boolean gone() {
    return left;
  }

  @Override
  public PeerLostException lost() {
    return faults.loseAndThrow(rank, LEFT);
  }

  private void readAll() {
    try {
      FrameReader reader = new FrameReader(channel);
      while (!left) {
        FrameReader.Header header = reader.next();
        lastHeard = System.nanoTime();
        switch (header.kind()) {
          case DATA -> readMessage(reader, header);
          case HEARTBEAT -> {}
          case CREDIT -> window.acknowledged(header.number(), header.length());
          case LOST -> {
            byte[] reason = new byte[(int) Math.min(header.length(), MAXIMUM_REASON)];
            reader.readInto(MemorySegment.ofArray(reason));
            faults.lose(header.number(), new String(reason, UTF_8));
          }
          case GOODBYE -> {
            left = true;
            wake();
            // Tells the leaver that all it sent has arrived; see Note [leaving without loss].
            endOutput();
          }
        }
      }
    } catch (IOException e) {
      if (!leaving) {
        faults.lose(rank, "its connection broke (" + describe(e) + ")");
      }
    } finally {
      readerEnded.countDown();
      wake();
    }
  }

  private static String describe(IOException e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  private void readMessage(FrameReader reader, FrameReader.Header header) throws IOException {
    if (header.length() < 0 || header.length() > MAXIMUM_FRAME) {
      throw new IOException("a message cannot have " + header.length() + " bytes");
    }
    Optional<Receipt> receipt = mailbox.claim(header.number(), header.length());
    if (receipt.isEmpty()) {
      MemorySegment message = MemorySegment.ofArray(new byte[(int) header.length()]);
      reader.readInto(message);
      mailbox.deliver(header.number(), message);
      return;
    }
    try {
      reader.readInto(receipt.get().target());
      receipt.get().complete();
    } catch (IOException | RuntimeException e) {
      faults.lose(rank, BROKEN);
      receipt.get().fail(new PeerLostException(rank, BROKEN));
      throw e;
    }
  }

  /** Whether nothing was heard for so long, although the rank has not left. */
  boolean silentFor(Duration limit, long now) {
    return !left && now - lastHeard > limit.toNanos();
  }

  /** Starts the clock of silence anew. */
  void forgive() {
    lastHeard = System.nanoTime();
  }

  void heartbeat() {
    try {
      if (!left) {
        // A thread that is writing already gives a sign of life: no need to wait for it.
        writer.tryWrite(FrameKind.HEARTBEAT, 0, NOTHING, Duration.ZERO);
      }
    } catch (IOException e) {
      // The reading thread sees the same and knows the reason.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Tells the rank that another was lost, unless the connection is jammed. */
  void announce(int lostRank, String reason, Duration patience) {
    try {
      byte[] text = reason.getBytes(UTF_8);
      MemorySegment payload =
          MemorySegment.ofArray(text).asSlice(0, Math.min(text.length, MAXIMUM_REASON));
      writer.tryWrite(FrameKind.LOST, lostRank, payload, patience);
    } catch (IOException e) {
      // It is gone too, or has left: it needs no telling.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Says goodbye: nothing is sent to this rank any more.
   *
   * <p>Note [leaving without loss]: a connection that is closed while something unread lies in its
   * receive buffer is reset by the kernel, which also drops what was written but not yet delivered,
   * the goodbye itself included. So a leaver ends its output only, goes on reading until the other
   * side has ended its output in answer to the goodbye, and closes then.
   */
  void sayGoodbye() {
    leaving = true;
    try {
      // With a jammed connection there is no goodbye, and ending the output would wait for it too.
      if (writer.tryWrite(FrameKind.GOODBYE, 0, NOTHING, Duration.ofMillis(200))) {
        endOutput();
      }
    } catch (IOException e) {
      // It has left before us.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** After the goodbye: waits until it has arrived, but not past the deadline, and disconnects. */
  void leave(Deadline deadline) {
    try {
      // A rank that hangs cannot answer; it is not ours to wait for.
      boolean _ = readerEnded.await(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      disconnect();
    }
  }

  private void endOutput() {
    try {
      channel.shutdownOutput();
    } catch (IOException e) {
      // Closed already: there is nothing left to end.
    }
  }

  void wake() {
    mailbox.nudgeAll();
    window.nudgeAll();
  }

  /** Cuts the connection; whoever reads or writes it gets an error. */
  void disconnect() {
    try {
      channel.close();
    } catch (IOException e) {
      // Closed is closed.
    }
  }
}
