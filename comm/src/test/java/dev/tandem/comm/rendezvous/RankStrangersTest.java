package dev.tandem.comm.rendezvous;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.rendezvous.Handshake.Introduction;
import dev.tandem.comm.rendezvous.ListeningRank.Use;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Strangers knock at a rank that waits for its peer, in a process of its own with a heap that
 * cannot grow; then the peer comes and the job goes on.
 */
class RankStrangersTest {

  private static final Duration PATIENCE = Duration.ofMinutes(15);

  /** What the acceptor says first: magic, version, rank, nonce. A verdict would follow. */
  private static final int GREETING_BYTES = 3 * Integer.BYTES + JobSecret.BYTES;

  /** Every page of the heap is there from the start, so growth is growth of something else. */
  private static final List<String> FIXED_HEAP =
      List.of(
          "-Xms48m",
          "-Xmx48m",
          "-XX:+AlwaysPreTouch",
          "-XX:+UseSerialGC",
          "--enable-native-access=ALL-UNNAMED");

  /** What a stranger sees; a rank that hangs up on unread garbage resets the connection. */
  private enum Answer {
    ACCEPTED,
    REFUSED,
    RESET,
    NOT_AWAITED
  }

  /**
   * Resident memory may grow by so much in all: a compiler at work takes megabytes at once, and
   * keeps them.
   */
  private static final long GROWTH_KIB = 32 << 10;

  /** A leak shows in every stretch of strangers; so many bytes for each are none. */
  private static final double LEAK_BYTES = 52;

  private static final int STRETCHES = 8;

  @Test
  void strangersLeaveNothingBehind() throws Exception {
    // The machine code of the rank is still in the making, so stretches say nothing.
    List<Use> uses = knock(500, 2_000);
    assertFlat(uses.getFirst(), uses.getLast());
  }

  @Tag("slow")
  @Test
  void masses() throws Exception {
    int warmUp = 20_000;
    int attempts = Integer.getInteger("tandem.strangers", 100_000);
    List<Use> uses = knock(warmUp, attempts);
    assertFlat(uses.getFirst(), uses.getLast());
    double bytes = usualGrowthKib(uses) * 1024 * STRETCHES / (attempts - warmUp);
    System.out.printf("resident memory for each stranger, usually: %.1f bytes%n", bytes);
    assertTrue(bytes <= LEAK_BYTES, () -> bytes + " bytes for each stranger: " + uses);
  }

  /** The median over the stretches: what happens in a few of them is no leak. */
  private static double usualGrowthKib(List<Use> uses) {
    long[] growths = new long[uses.size() - 1];
    for (int i = 0; i < growths.length; i++) {
      growths[i] = uses.get(i + 1).residentKib() - uses.get(i).residentKib();
    }
    Arrays.sort(growths);
    return (growths[(growths.length - 1) / 2] + growths[growths.length / 2]) / 2.0;
  }

  /** What the rank uses after those who warm it up, and after every stretch of the others. */
  private static List<Use> knock(int warmUp, int attempts) throws Exception {
    SplittableRandom random = TestSeed.of(RankStrangersTest.class).random();
    return Watchdog.within(
        PATIENCE,
        () -> {
          Process process = start();
          RefusalCount refusals = new RefusalCount(process);
          try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            int port = Integer.parseInt(answer(output, "port "));
            InetSocketAddress address = new InetSocketAddress(ListeningRank.address(), port);
            Map<Answer, Integer> answers = new EnumMap<>(Answer.class);
            List<Use> uses = new ArrayList<>();
            for (int stretch = 0; stretch <= STRETCHES; stretch++) {
              int until = warmUp + (int) ((long) (attempts - warmUp) * stretch / STRETCHES);
              int done = answers.values().stream().mapToInt(Integer::intValue).sum();
              for (int i = done; i < until; i++) {
                answers.merge(knockOnce(address, random), 1, Integer::sum);
              }
              uses.add(use(process, output));
              System.out.printf(
                  "after %d strangers: descriptors, threads, KiB of heap, KiB resident: %s%n",
                  until, uses.getLast());
            }
            System.out.println(answers + ", the rank has counted " + refusals.last());
            assertEquals(0, answers.getOrDefault(Answer.ACCEPTED, 0));
            assertEquals(attempts, answers.values().stream().mapToInt(Integer::intValue).sum());
            // It counts all and says so at the powers of two.
            assertTrue(refusals.last() > attempts / 2, () -> "counted " + refusals.last());
            ask(process, "finish");
            assertEquals("6", answer(output, "sum "));
            assertEquals(0, process.onExit().join().exitValue());
            return uses;
          } finally {
            process.destroyForcibly();
          }
        });
  }

  private static Process start() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FIXED_HEAP);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ListeningRank.class.getName());
    return new ProcessBuilder(command).start();
  }

  /** Reads how many refusals the rank has counted, as it says so; shows anything unexpected. */
  private static final class RefusalCount {

    private static final Pattern COUNT = Pattern.compile(".* has refused (\\d+) connections .*");

    private volatile long last;

    RefusalCount(Process process) {
      Thread.ofVirtual()
          .start(() -> process.errorReader(StandardCharsets.UTF_8).lines().forEach(this::take));
    }

    private void take(String line) {
      Matcher count = COUNT.matcher(line);
      if (count.matches()) {
        last = Long.parseLong(count.group(1));
      } else if (!line.contains(" refused a connection ")) {
        System.out.println(line);
      }
    }

    long last() {
      return last;
    }
  }

  private static void ask(Process process, String word) throws IOException {
    process.getOutputStream().write((word + "\n").getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  private static String answer(BufferedReader output, String key) throws IOException {
    String line = output.readLine();
    assertTrue(line != null && line.startsWith(key), () -> "not '" + key + "' but " + line);
    return line.substring(key.length());
  }

  /** The last strangers may still be shown out: waits for that, under the watchdog. */
  private static Use use(Process process, BufferedReader output) throws IOException {
    Use now = null;
    Use before;
    do {
      before = now;
      ask(process, "use");
      now = Use.parse(answer(output, "use "));
    } while (before == null
        || now.descriptors() < before.descriptors()
        || now.threads() < before.threads());
    return now;
  }

  private static void assertFlat(Use before, Use after) {
    String change = before + " -> " + after;
    assertTrue(after.descriptors() <= before.descriptors() + 8, () -> "descriptors: " + change);
    assertTrue(after.threads() <= before.threads() + 8, () -> "threads: " + change);
    assertTrue(after.heapKib() <= before.heapKib() + 1024, () -> "heap: " + change);
    assertTrue(after.residentKib() <= before.residentKib() + GROWTH_KIB, () -> "memory: " + change);
  }

  private static Answer knockOnce(InetSocketAddress address, SplittableRandom random)
      throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(address);
      return switch (random.nextInt(8)) {
        case 0 -> lie(socket);
        case 1 -> {
          // Hangs up without listening.
          socket.getOutputStream().write(garbage(random));
          yield Answer.NOT_AWAITED;
        }
        default -> {
          socket.getOutputStream().write(garbage(random));
          socket.shutdownOutput();
          byte[] said = socket.getInputStream().readAllBytes();
          yield said.length > GREETING_BYTES && said[GREETING_BYTES] == 0
              ? Answer.ACCEPTED
              : Answer.REFUSED;
        }
      };
    } catch (SocketException e) {
      // The rank may hang up while the garbage is still on its way.
      return Answer.RESET;
    }
  }

  private static byte[] garbage(SplittableRandom random) {
    byte[] garbage = new byte[random.nextInt(200)];
    random.nextBytes(garbage);
    return garbage;
  }

  /** Speaks the protocol, but knows another secret. */
  private static Answer lie(Socket socket) throws IOException {
    Introduction liar = new Introduction(1, 2, "127.0.0.1:1", "localhost", 0);
    try {
      Handshake.initiate(
          Link.plain(socket), JobSecret.random(), 0, liar, Deadline.in(Duration.ofSeconds(20)));
      return Answer.ACCEPTED;
    } catch (Handshake.RefusedException e) {
      return Answer.REFUSED;
    }
  }
}
