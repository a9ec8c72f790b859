package dev.tandem.comm.rendezvous;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.TestKeystore;
import dev.tandem.core.WorkFailedException;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who does not belong to a job with TLS is refused in bounded time, and both sides say why. */
class TlsRefusalsTest {

  private static final InetSocketAddress ANYWHERE =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private static final String ALL_OR_NONE =
      "set TANDEM_TLS_KEYSTORE for all processes of the job or for none";
  private static final String NOT_TRUSTED =
      "its certificate is not trusted by the keystore of this process";
  private static final String DISTRUSTED =
      "the other side does not trust the certificate of this process";

  @TempDir static Path folder;

  private static TestKeystore first;
  private static TestKeystore second;
  private static Optional<TlsKeys> job;
  private static Optional<TlsKeys> stranger;
  private static Optional<TlsKeys> believer;
  private static Optional<TlsKeys> believing;

  private final JobSecret secret = JobSecret.random();
  private final BlockingQueue<String> log = new LinkedBlockingQueue<>();

  @BeforeAll
  static void makeKeystores() throws Exception {
    first = TestKeystore.make(folder, "job");
    second = TestKeystore.make(folder, "believer").trusting(first);
    TestKeystore third = TestKeystore.make(folder, "believing").trusting(second);
    job = Optional.of(first.keys());
    stranger = Optional.of(TestKeystore.make(folder, "stranger").keys());
    believer = Optional.of(second.keys());
    believing = Optional.of(third.keys());
  }

  private RendezvousHost open(Optional<TlsKeys> tls) {
    return RendezvousHost.open(1, secret, tls, ANYWHERE, Duration.ofMinutes(1), log::add);
  }

  /** One that soon gives up connections that say nothing. */
  private RendezvousHost openImpatient(Optional<TlsKeys> tls) {
    return RendezvousHost.open(
        1, secret, tls, ANYWHERE, Duration.ofMinutes(1), Duration.ofSeconds(2), log::add);
  }

  private static Membership join(JobEnvironment rank) {
    return Membership.join(rank, ANYWHERE, Deadline.in(Duration.ofSeconds(30)));
  }

  private static void within(Callable<Void> body) throws Exception {
    Watchdog.within(Duration.ofMinutes(1), body);
  }

  private void refused(RendezvousHost host, JobEnvironment rank, String toldThere, String toldHere)
      throws Exception {
    WorkFailedException e = assertThrows(WorkFailedException.class, () -> join(rank));
    assertTrue(e.getMessage().endsWith(": " + toldThere), e.getMessage());
    assertEquals(1, e.getMessage().lines().count());
    String line = log.take();
    assertTrue(line.startsWith("refused a connection from 127.0.0.1:"), line);
    assertTrue(line.endsWith(": " + toldHere), line);
    // And the job goes on.
    join(host.environment(0)).close();
  }

  @Test
  void aCertificateThatIsNotTrusted() throws Exception {
    within(
        () -> {
          try (RendezvousHost host = open(job)) {
            refused(host, host.environment(0).over(stranger), NOT_TRUSTED, DISTRUSTED);
          }
          return null;
        });
  }

  @Test
  void aCertificateThatOnlyTheMeetingPointDistrusts() throws Exception {
    within(
        () -> {
          try (RendezvousHost host = open(job)) {
            refused(host, host.environment(0).over(believer), DISTRUSTED, NOT_TRUSTED);
          }
          return null;
        });
  }

  /** Every host may have a key of its own if each trusts the others. */
  @Test
  void differentKeysThatTrustEachOther() throws Exception {
    within(
        () -> {
          // The second trusts the first already.
          TestKeystore trusting =
              new TestKeystore(Files.copy(first.file(), folder.resolve("trusting.p12")));
          trusting.importing(second);
          try (RendezvousHost host = open(Optional.of(trusting.keys()))) {
            join(host.environment(0).over(believer)).close();
          }
          return null;
        });
  }

  /** A certificate that an authority has signed is trusted as itself, not for its issuer's sake. */
  @Test
  void oneKeystoreWithASignedCertificateServesAll() throws Exception {
    within(
        () -> {
          char[] password = TestKeystore.PASSWORD.toCharArray();
          TestKeystore authority = TestKeystore.make(folder, "authority", "-ext", "bc:c");
          authority.sign("leaf");
          KeyStore both = KeyStore.getInstance(authority.file().toFile(), password);
          assertEquals(2, both.getCertificateChain("leaf").length);
          both.deleteEntry("authority");
          TestKeystore leaf = new TestKeystore(folder.resolve("leaf.p12"));
          try (OutputStream out = Files.newOutputStream(leaf.file())) {
            both.store(out, password);
          }
          try (RendezvousHost host = open(Optional.of(leaf.keys()))) {
            join(host.environment(0)).close();
          }
          try (RendezvousHost host = open(Optional.of(leaf.keys()))) {
            // The authority itself is not in the job, though it trusts the leaf it has signed.
            refused(
                host,
                host.environment(0).over(Optional.of(authority.keys())),
                DISTRUSTED,
                NOT_TRUSTED);
          }
          return null;
        });
  }

  /** Trust does not pass on: who trusts somebody that trusts a third does not trust the third. */
  @Test
  void trustIsNotInherited() throws Exception {
    within(
        () -> {
          try (RendezvousHost host = open(job)) {
            refused(host, host.environment(0).over(believing), NOT_TRUSTED, DISTRUSTED);
          }
          return null;
        });
  }

  @Test
  void theSecretStillCounts() throws Exception {
    within(
        () -> {
          try (RendezvousHost host = open(job)) {
            String why = "it does not know the secret of this job";
            JobEnvironment liar =
                new JobEnvironment(0, 1, host.environment(0).rendezvous(), JobSecret.random());
            refused(host, liar.over(job), why, "rank 0: " + why);
          }
          return null;
        });
  }

  @Test
  void tlsAtAMeetingPointWithout() throws Exception {
    within(
        () -> {
          try (RendezvousHost host = open(Optional.empty())) {
            refused(
                host,
                host.environment(0).over(job),
                "TLS: the other side does not speak TLS: " + ALL_OR_NONE,
                "the other side speaks TLS: " + ALL_OR_NONE);
          }
          return null;
        });
  }

  /** Both wait for the other to speak first; the meeting point ends that. */
  @Test
  void noTlsAtAMeetingPointWith() throws Exception {
    within(
        () -> {
          try (RendezvousHost host = openImpatient(job)) {
            long start = System.nanoTime();
            refused(
                host,
                host.environment(0).over(Optional.empty()),
                "the other side speaks TLS: " + ALL_OR_NONE,
                "it does not begin TLS: " + ALL_OR_NONE);
            assertTrue(System.nanoTime() - start < Duration.ofSeconds(15).toNanos());
          }
          return null;
        });
  }

  /** The deadline of a joiner holds against one who accepts and says nothing. */
  @Test
  void aSilentMeetingPoint() throws Exception {
    within(
        () -> {
          try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            JobEnvironment rank =
                new JobEnvironment(0, 1, (InetSocketAddress) silent.getLocalSocketAddress(), secret)
                    .over(job);
            assertThrows(
                WorkFailedException.class,
                () -> Membership.join(rank, ANYWHERE, Deadline.in(Duration.ofMillis(300))));
          }
          return null;
        });
  }

  /**
   * More silent strangers than handshakes at a time, some of whom send a byte now and then: their
   * time is bounded, and a member that comes after them gets in.
   */
  @Test
  void silentAndTricklingStrangersDoNotKeepMembersOut() throws Exception {
    within(
        () -> {
          try (RendezvousHost host = openImpatient(job)) {
            InetSocketAddress address = host.environment(0).rendezvous();
            List<Socket> strangers = new ArrayList<>();
            for (int i = 0; i < 80; i++) {
              Socket socket = new Socket(address.getAddress(), address.getPort());
              strangers.add(socket);
              if (i % 2 == 0) {
                Thread.ofVirtual().start(() -> trickle(socket));
              }
            }
            long start = System.nanoTime();
            join(host.environment(0)).close();
            assertTrue(System.nanoTime() - start < Duration.ofSeconds(20).toNanos());
            for (Socket socket : strangers) {
              socket.close();
            }
          }
          return null;
        });
  }

  /** A record of TLS that comes a byte at a time. */
  private static void trickle(Socket socket) {
    try {
      socket.getOutputStream().write(new byte[] {0x16, 3, 1, 0x30, 0, 1, 0, 0x2f, -4, 3, 3});
      while (true) {
        Thread.sleep(100);
        socket.getOutputStream().write(1);
      }
    } catch (IOException | InterruptedException e) {
      // Shown out, as is right.
    }
  }

  @Test
  void garbageLeavesNothingBehind() throws Exception {
    SplittableRandom random = TestSeed.of(TlsRefusalsTest.class).random();
    within(
        () -> {
          try (RendezvousHost host = openImpatient(job)) {
            InetSocketAddress address = host.environment(0).rendezvous();
            knock(address, random, 100);
            long descriptors = descriptors();
            knock(address, random, 900);
            for (int i = 0; i < 1000; i++) {
              log.take();
            }
            assertTrue(descriptors() < descriptors + 50, "descriptors leak");
            join(host.environment(0)).close();
          }
          return null;
        });
  }

  private static void knock(InetSocketAddress address, SplittableRandom random, int times)
      throws IOException {
    for (int i = 0; i < times; i++) {
      byte[] garbage = new byte[random.nextInt(300)];
      random.nextBytes(garbage);
      if (random.nextBoolean() && garbage.length > 5) {
        // Half of them look like a handshake at first.
        garbage[0] = 0x16;
        garbage[1] = 3;
        garbage[2] = 1;
        garbage[3] = 0;
        garbage[4] = (byte) random.nextInt(1, 128);
      }
      try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
        socket.getOutputStream().write(garbage);
      } catch (SocketException e) {
        // The host may hang up while the garbage is still on its way.
      }
    }
  }

  private static long descriptors() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    }
  }
}
