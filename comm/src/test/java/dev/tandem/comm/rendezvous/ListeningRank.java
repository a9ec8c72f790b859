package dev.tandem.comm.rendezvous;

import dev.tandem.comm.transport.TcpTransport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

/**
 * A process with a rank that waits for its peer, for tests of strangers. Prints its port, then does
 * what is asked for, a word a line: {@code use} prints what the process uses; {@code finish} lets
 * the peer come, prints what the two ranks sum up, and ends.
 */
public final class ListeningRank {

  private static final Duration SILENCE = Duration.ofSeconds(30);
  private static final Duration PATIENCE = Duration.ofMinutes(20);

  private ListeningRank() {}

  public static void main(String[] arguments) throws Exception {
    try (RendezvousHost host = RendezvousHost.open(2, JobSecret.random(), PATIENCE, line -> {});
        BufferedReader input =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      Set<Integer> before = listening();
      FutureTask<TcpTransport> waiting = join(host, 0);
      System.out.println("port " + newcomer(before));
      for (String word = input.readLine(); word != null; word = input.readLine()) {
        if (word.equals("use")) {
          System.gc();
          System.out.println("use " + Use.now());
        } else {
          System.out.println("sum " + meet(join(host, 1).get(), waiting.get()));
          return;
        }
      }
    }
  }

  private static int meet(TcpTransport second, TcpTransport first) {
    byte[] got = new byte[3];
    try (second;
        first) {
      second.send(0, 0, MemorySegment.ofArray(new byte[] {1, 2, 3}));
      first.receive(1, 0, MemorySegment.ofArray(got));
    }
    return got[0] + got[1] + got[2];
  }

  private static FutureTask<TcpTransport> join(RendezvousHost host, int rank) {
    FutureTask<TcpTransport> task =
        new FutureTask<>(() -> TcpTransport.join(host.environment(rank), SILENCE, PATIENCE));
    Thread.ofPlatform().daemon().name("test-rank-" + rank).start(task);
    return task;
  }

  /**
   * What a process uses.
   *
   * @param heapKib used heap
   * @param residentKib memory that the kernel holds for it
   */
  record Use(int descriptors, int threads, long heapKib, long residentKib) {

    static Use now() throws IOException {
      Runtime runtime = Runtime.getRuntime();
      try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
        return new Use(
            (int) open.count(),
            (int) status("Threads:"),
            (runtime.totalMemory() - runtime.freeMemory()) >> 10,
            status("VmRSS:"));
      }
    }

    private static long status(String key) throws IOException {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith(key))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst()
          .orElseThrow();
    }

    static Use parse(String text) {
      String[] words = text.split(" ", -1);
      return new Use(
          Integer.parseInt(words[0]),
          Integer.parseInt(words[1]),
          Long.parseLong(words[2]),
          Long.parseLong(words[3]));
    }

    @Override
    public String toString() {
      return "%d %d %d %d".formatted(descriptors, threads, heapKib, residentKib);
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

  /** Where all ranks of this process listen. */
  static InetAddress address() {
    return InetAddress.getLoopbackAddress();
  }
}
