package dev.tandem.comm.rendezvous;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.rendezvous.Handshake.Introduction;
import dev.tandem.comm.transport.TcpTransport;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Strangers knock at a rank that waits for its peers; then the peer comes and the job goes on. */
class RankStrangersTest {

  private static final int WARM_UP = 500;
  private static final Duration SILENCE = Duration.ofSeconds(30);
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** What this process uses; bytes of heap after a collection. */
  private record Use(long descriptors, int threads, long heap, long resident) {

    static Use now() throws IOException {
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      return new Use(
          sockets().size(),
          Thread.activeCount(),
          runtime.totalMemory() - runtime.freeMemory(),
          residentBytes());
    }

    private static long residentBytes() throws IOException {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void strangersLeaveNothingBehind() throws Exception {
    knock(2_000);
  }

  @Tag("slow")
  @Test
  void masses() throws Exception {
    knock(100_000);
  }

  private static void knock(int attempts) throws Exception {
    SplittableRandom random = TestSeed.of(RankStrangersTest.class).random();
    Watchdog.within(
        PATIENCE,
        () -> {
          try (RendezvousHost host =
              RendezvousHost.open(2, JobSecret.random(), PATIENCE, line -> {})) {
            Set<Integer> before = listening();
            FutureTask<TcpTransport> first = join(host, 0);
            InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), newcomer(before));
            for (int i = 0; i < WARM_UP; i++) {
              knockOnce(address, random);
            }
            Use use = Use.now();
            for (int i = WARM_UP; i < attempts; i++) {
              knockOnce(address, random);
            }
            awaitFlat(use, attempts);
            try (TcpTransport second = join(host, 1).get();
                TcpTransport waiting = first.get()) {
              byte[] got = new byte[3];
              second.send(0, 0, MemorySegment.ofArray(new byte[] {1, 2, 3}));
              waiting.receive(1, 0, MemorySegment.ofArray(got));
              assertEquals(6, got[0] + got[1] + got[2]);
            }
          }
          return null;
        });
  }

  private static FutureTask<TcpTransport> join(RendezvousHost host, int rank) {
    FutureTask<TcpTransport> task =
        new FutureTask<>(() -> TcpTransport.join(host.environment(rank), SILENCE, PATIENCE));
    Thread.ofPlatform().daemon().name("test-rank-" + rank).start(task);
    return task;
  }

  /** The last strangers may still be shown out: waits for that, under the watchdog. */
  private static void awaitFlat(Use before, int attempts) throws IOException {
    Use now = Use.now();
    while (now.descriptors() > before.descriptors() + 20 || now.threads() > before.threads() + 20) {
      Thread.onSpinWait();
      now = Use.now();
    }
    System.out.printf(
        "%d strangers: sockets %d -> %d, threads %d -> %d, heap %d -> %d KiB, resident %d -> %d KiB%n",
        attempts,
        before.descriptors(),
        now.descriptors(),
        before.threads(),
        now.threads(),
        before.heap() >> 10,
        now.heap() >> 10,
        before.resident() >> 10,
        now.resident() >> 10);
    assertTrue(now.heap() < before.heap() + (16 << 20), "the heap grows");
    assertTrue(now.resident() < before.resident() + (256 << 20), "resident memory grows");
  }

  private static void knockOnce(InetSocketAddress address, SplittableRandom random)
      throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(address);
      if (random.nextInt(8) == 0) {
        Introduction liar = new Introduction(1, 2, "127.0.0.1:1", "localhost", 0);
        Deadline deadline = Deadline.in(Duration.ofSeconds(20));
        assertThrows(
            Handshake.RefusedException.class,
            () -> Handshake.initiate(Link.plain(socket), JobSecret.random(), 0, liar, deadline));
        return;
      }
      byte[] garbage = new byte[random.nextInt(200)];
      random.nextBytes(garbage);
      socket.getOutputStream().write(garbage);
    } catch (SocketException e) {
      // The rank may hang up while the garbage is still on its way.
    }
  }

  /** The port of this process on which somebody listens now and nobody did before. */
  private static int newcomer(Set<Integer> before) throws IOException {
    while (true) {
      Set<Integer> ports = listening();
      ports.removeAll(before);
      if (!ports.isEmpty()) {
        return ports.iterator().next();
      }
      Thread.onSpinWait();
    }
  }

  private static Set<Integer> listening() throws IOException {
    Set<String> mine = sockets();
    Set<Integer> ports = new HashSet<>();
    for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
      for (String line : Files.readAllLines(Path.of(table))) {
        String[] fields = line.trim().split("\\s+", -1);
        if (fields[3].equals("0A") && mine.contains("socket:[" + fields[9] + "]")) {
          ports.add(Integer.parseInt(fields[1].substring(fields[1].indexOf(':') + 1), 16));
        }
      }
    }
    return ports;
  }

  private static Set<String> sockets() throws IOException {
    Set<String> sockets = new HashSet<>();
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      for (Path descriptor : open.toList()) {
        try {
          String target = Files.readSymbolicLink(descriptor).toString();
          if (target.startsWith("socket:")) {
            sockets.add(target);
          }
        } catch (IOException e) {
          // Closed meanwhile.
        }
      }
    }
    return sockets;
  }
}
