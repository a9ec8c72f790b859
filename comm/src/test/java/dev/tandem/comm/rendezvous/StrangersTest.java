package dev.tandem.comm.rendezvous;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Strangers knock in masses; the job does not care. */
class StrangersTest {

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
    Seed seed = TestSeed.of(StrangersTest.class);
    AtomicInteger refusals = new AtomicInteger();
    Watchdog.within(
        Duration.ofMinutes(10),
        () -> {
          try (RendezvousHost host =
              RendezvousHost.open(
                  1,
                  JobSecret.random(),
                  Duration.ofMinutes(10),
                  line -> refusals.incrementAndGet())) {
            InetSocketAddress address = host.environment(0).rendezvous();
            SplittableRandom random = seed.random();
            // The first knocks make what is made once; only growth after them counts.
            for (int i = 0; i < 200; i++) {
              knockOnce(address, random);
            }
            long descriptors = descriptors();
            int threads = Thread.activeCount();
            for (int i = 200; i < attempts; i++) {
              knockOnce(address, random);
            }
            while (refusals.get() < attempts) {
              Thread.onSpinWait();
            }
            assertEquals(attempts, refusals.get());
            assertTrue(descriptors() < descriptors + 100, "descriptors leak");
            assertTrue(Thread.activeCount() < threads + 20, "threads leak");
            try (Membership member =
                Membership.join(
                    host.environment(0),
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                    Deadline.in(Duration.ofSeconds(20)))) {
              assertEquals(1, member.addresses().size());
            }
          }
          return null;
        });
  }

  private static void knockOnce(InetSocketAddress address, SplittableRandom random)
      throws IOException {
    if (random.nextInt(8) == 0) {
      JobEnvironment liar = new JobEnvironment(0, 1, address, JobSecret.random());
      try {
        Membership.join(
                liar,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                Deadline.in(Duration.ofSeconds(20)))
            .close();
        throw new AssertionError("a liar was let in");
      } catch (WorkFailedException e) {
        return;
      }
    }
    byte[] garbage = new byte[random.nextInt(200)];
    random.nextBytes(garbage);
    try (Socket socket = new Socket()) {
      socket.connect(address);
      socket.getOutputStream().write(garbage);
    } catch (IOException e) {
      // The host may hang up while the garbage is still on its way.
      if (!(e instanceof SocketException)) {
        throw e;
      }
    }
  }

  private static long descriptors() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    }
  }
}
