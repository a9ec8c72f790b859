package dev.tandem.comm.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.TestKeystore;
import dev.tandem.comm.rendezvous.Deadline;
import dev.tandem.comm.rendezvous.Link;
import dev.tandem.comm.rendezvous.TlsKeys;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two wires with a relay between them that writes down every byte, and may change one. */
class TlsWireTest {

  private static final String PATTERN = "what nobody else may read ";

  @TempDir static Path folder;

  private static Optional<TlsKeys> keys;

  @BeforeAll
  static void makeKeystore() throws Exception {
    keys = Optional.of(TestKeystore.make(folder, "job").keys());
  }

  /** Two ends of a connection, and what has passed between them. */
  private static final class Pair implements AutoCloseable {

    private final ServerSocketChannel server = listen();
    private final ServerSocketChannel relay = listen();
    private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
    private volatile boolean corrupting;
    final Wire caller;
    final Wire accepter;

    Pair(Optional<TlsKeys> tls) throws Exception {
      Thread.ofPlatform().daemon().start(this::pass);
      Deadline deadline = Deadline.in(Duration.ofSeconds(20));
      FutureTask<Link> accepted =
          new FutureTask<>(() -> Link.accepted(server.accept().socket(), tls, deadline));
      Thread.ofPlatform().daemon().start(accepted);
      SocketChannel channel = SocketChannel.open(relay.getLocalAddress());
      caller = Wire.over(Link.called(channel.socket(), tls, deadline));
      accepter = Wire.over(accepted.get());
    }

    private static ServerSocketChannel listen() throws IOException {
      return ServerSocketChannel.open()
          .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private void pass() {
      try {
        SocketChannel one = relay.accept();
        SocketChannel other = SocketChannel.open(server.getLocalAddress());
        Thread.ofPlatform().daemon().start(() -> pass(one, other));
        Thread.ofPlatform().daemon().start(() -> pass(other, one));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    private void pass(SocketChannel from, SocketChannel to) {
      ByteBuffer buffer = ByteBuffer.allocate(50_000);
      try {
        while (from.read(buffer.clear()) >= 0) {
          buffer.flip();
          synchronized (seen) {
            seen.write(buffer.array(), 0, buffer.limit());
          }
          if (corrupting) {
            buffer.array()[buffer.limit() - 1] ^= 1;
          }
          while (buffer.hasRemaining()) {
            to.write(buffer);
          }
        }
        to.shutdownOutput();
      } catch (IOException e) {
        // One of the two has closed.
      }
    }

    String seen() {
      synchronized (seen) {
        return seen.toString(ISO_8859_1);
      }
    }

    @Override
    public void close() throws IOException {
      caller.close();
      accepter.close();
      server.close();
      relay.close();
    }
  }

  private static byte[] message(int bytes) {
    return PATTERN.repeat(bytes / PATTERN.length() + 1).substring(0, bytes).getBytes(ISO_8859_1);
  }

  /** Writes all and ends the output. */
  private static Void writeAll(Wire wire, byte[] message, SplittableRandom random)
      throws IOException {
    ByteBuffer rest = ByteBuffer.wrap(message);
    while (rest.hasRemaining()) {
      int count = Math.min(rest.remaining(), 1 + random.nextInt(1 << random.nextInt(20)));
      ByteBuffer first = rest.slice(rest.position(), count / 2);
      ByteBuffer second = rest.slice(rest.position() + count / 2, count - count / 2);
      long written = wire.write(new ByteBuffer[] {first, second});
      assertEquals(first.position() + second.position(), written);
      rest.position(rest.position() + (int) written);
      Thread.onSpinWait();
    }
    while (!wire.flush()) {
      Thread.onSpinWait();
    }
    wire.endOutput();
    return null;
  }

  /** Reads up to the end, in pieces of all sizes. */
  private static byte[] readAll(Wire wire, SplittableRandom random) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    while (true) {
      boolean held = wire.holds();
      ByteBuffer buffer = ByteBuffer.allocate(1 + random.nextInt(1 << random.nextInt(20)));
      int read = wire.read(buffer);
      assertEquals(Math.max(0, read), buffer.position());
      // The end may be told by a record that brings nothing else.
      assertTrue(!held || read != 0 || !wire.holds(), "what is held can be read");
      if (read < 0) {
        return all.toByteArray();
      }
      all.write(buffer.array(), 0, read);
    }
  }

  private static String exchange(Optional<TlsKeys> tls, int bytes) throws Exception {
    SplittableRandom random = TestSeed.of(TlsWireTest.class).random();
    byte[] message = message(bytes);
    try (Pair pair = new Pair(tls)) {
      for (Wire[] way : new Wire[][] {{pair.caller, pair.accepter}, {pair.accepter, pair.caller}}) {
        SplittableRandom writing = random.split();
        FutureTask<Void> writer = new FutureTask<>(() -> writeAll(way[0], message, writing));
        Thread.ofPlatform().daemon().start(writer);
        // The second way begins when the first has ended: half of the connection is left.
        assertArrayEquals(message, readAll(way[1], random));
        writer.get();
        assertThrows(
            IOException.class, () -> way[0].write(new ByteBuffer[] {ByteBuffer.allocate(1)}));
      }
      return pair.seen();
    }
  }

  @Test
  void nothingIsReadableOnTheWay() throws Exception {
    Watchdog.within(
        Duration.ofMinutes(1),
        () -> {
          assertTrue(exchange(Optional.empty(), 100_000).contains(PATTERN), "the relay is blind");
          String seen = exchange(keys, 5_000_000);
          assertTrue(seen.length() > 10_000_000, "the relay has seen " + seen.length());
          assertFalse(seen.contains(PATTERN));
          assertFalse(seen.contains(PATTERN.substring(0, 8)));
          return null;
        });
  }

  @Test
  void aChangedByteIsNotTakenForData() throws Exception {
    Watchdog.within(
        Duration.ofMinutes(1),
        () -> {
          try (Pair pair = new Pair(keys)) {
            pair.corrupting = true;
            pair.caller.write(new ByteBuffer[] {ByteBuffer.wrap(message(1000))});
            ByteBuffer buffer = ByteBuffer.allocate(2000);
            assertThrows(
                IOException.class,
                () -> {
                  while (true) {
                    assertEquals(0, pair.accepter.read(buffer));
                  }
                });
          }
          return null;
        });
  }

  /** A connection that takes no more keeps the rest, and says so until it has left. */
  @Test
  void whatIsHalfFlushedLeavesLater() throws Exception {
    Watchdog.within(
        Duration.ofMinutes(1),
        () -> {
          try (Pair pair = new Pair(keys)) {
            byte[] message = message(64 << 20);
            ByteBuffer rest = ByteBuffer.wrap(message);
            while (pair.caller.write(new ByteBuffer[] {rest}) > 0 || pair.caller.flush()) {
              assertTrue(rest.hasRemaining(), "it takes everything");
            }
            int taken = rest.position();
            FutureTask<Boolean> flush =
                new FutureTask<>(
                    () -> {
                      while (!pair.caller.flush()) {
                        Thread.onSpinWait();
                      }
                      pair.caller.endOutput();
                      return true;
                    });
            Thread.ofPlatform().daemon().start(flush);
            byte[] got = readAll(pair.accepter, new SplittableRandom(1));
            assertEquals(taken, got.length);
            assertArrayEquals(message(taken), got);
            assertTrue(flush.get());
          }
          return null;
        });
  }
}
