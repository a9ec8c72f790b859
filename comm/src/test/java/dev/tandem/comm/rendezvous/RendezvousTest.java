package dev.tandem.comm.rendezvous;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.topology.Topology;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.testkit.Watchdog;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RendezvousTest {

  private final BlockingQueue<String> log = new LinkedBlockingQueue<>();
  private final JobSecret secret = JobSecret.random();

  private RendezvousHost host(int size, Duration patience) {
    return RendezvousHost.open(size, secret, patience, log::add);
  }

  private static InetSocketAddress listening(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private static Membership join(JobEnvironment job) {
    return Membership.join(job, listening(1000 + job.rank()), Deadline.in(Duration.ofSeconds(20)));
  }

  private static <T> FutureTask<T> start(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.ofPlatform().daemon().start(task);
    return task;
  }

  private static void refused(String why, JobEnvironment job) {
    WorkFailedException e = assertThrows(WorkFailedException.class, () -> join(job));
    assertTrue(e.getMessage().endsWith(why), e.getMessage());
  }

  @Test
  void strangersAreRefusedAndTheJobGoesOn() throws Exception {
    Watchdog.within(
        Duration.ofSeconds(30),
        () -> {
          try (RendezvousHost host = host(2, Duration.ofSeconds(20))) {
            JobEnvironment first = host.environment(0);
            FutureTask<Membership> zero = start(() -> join(first));

            JobEnvironment liar = new JobEnvironment(1, 2, first.rendezvous(), JobSecret.random());
            refused("it does not know the secret of this job", liar);
            assertTrue(log.take().endsWith("rank 1: it does not know the secret of this job"));
            refused(
                "the job has 2 ranks, not 3", new JobEnvironment(2, 3, first.rendezvous(), secret));
            assertTrue(log.take().endsWith("the job has 2 ranks, not 3"));
            try (Socket browser = new Socket()) {
              browser.connect(first.rendezvous());
              browser.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(US_ASCII));
              assertTrue(log.take().endsWith("it does not speak Tandem's protocol"));
            }
            assertFalse(zero.isDone());

            try (Membership one = join(host.environment(1));
                Membership other = zero.get()) {
              assertEquals(List.of(listening(1000), listening(1001)), one.addresses());
              assertEquals(one.addresses(), other.addresses());
              refused("it comes too late, all 2 ranks have joined", host.environment(1));
              other.reportLoss(1);
              while (host.reportedLoss().isEmpty()) {
                Thread.onSpinWait();
              }
              assertEquals(1, host.reportedLoss().getAsInt());
            }
          }
          return null;
        });
  }

  @Test
  void aTwinIsRefusedWhileOthersAreMissing() throws Exception {
    Watchdog.within(
        Duration.ofSeconds(30),
        () -> {
          try (RendezvousHost host = host(2, Duration.ofSeconds(20))) {
            List<FutureTask<Membership>> twins = new ArrayList<>();
            twins.add(start(() -> join(host.environment(0))));
            twins.add(start(() -> join(host.environment(0))));
            assertTrue(log.take().contains("already joined"));
            try (Membership one = join(host.environment(1))) {
              assertEquals(2, one.addresses().size());
            }
            int refused = 0;
            for (FutureTask<Membership> twin : twins) {
              try (Membership zero = twin.get()) {
                assertEquals(2, zero.addresses().size());
              } catch (ExecutionException e) {
                refused++;
              }
            }
            assertEquals(1, refused);
          }
          return null;
        });
  }

  @Test
  void missingRanksAreNamed() throws Exception {
    Watchdog.within(
        Duration.ofSeconds(30),
        () -> {
          try (RendezvousHost host = host(3, Duration.ofSeconds(1))) {
            refused("ranks [0, 2] did not join within 1 s", host.environment(1));
          }
          return null;
        });
  }

  @Test
  void anImpostorInTheHostsPlaceIsNotBelieved() throws Exception {
    try (RendezvousHost impostor =
        RendezvousHost.open(1, JobSecret.random(), Duration.ofSeconds(20), log::add)) {
      refused(
          "it does not know the secret of this job",
          new JobEnvironment(0, 1, impostor.environment(0).rendezvous(), secret));
    }
  }

  @Test
  void everyRankLearnsTheHostsOfAll() throws Exception {
    Watchdog.within(
        Duration.ofSeconds(30),
        () -> {
          try (RendezvousHost host = host(3, Duration.ofSeconds(20))) {
            FutureTask<Membership> zero = start(() -> join(host.environment(0).on("b")));
            FutureTask<Membership> one = start(() -> join(host.environment(1).on("a")));
            try (Membership two = join(host.environment(2).on("b"))) {
              assertEquals(new Topology(List.of("b", "a", "b")), two.topology());
              zero.get().close();
              one.get().close();
            }
          }
          return null;
        });
  }

  /** A listener is bound where the meeting point is reached from, here to another loopback one. */
  @Test
  void aRankListensOnlyWhereTheMeetingPointIsReachedFrom() throws Exception {
    InetAddress other = InetAddress.getByName("127.0.0.2");
    try (RendezvousHost host =
            RendezvousHost.open(1, secret, other, Duration.ofSeconds(20), log::add);
        JoiningRank joining =
            JoiningRank.connect(host.environment(0), Deadline.in(Duration.ofSeconds(20)))) {
      assertEquals(other, host.environment(0).rendezvous().getAddress());
      assertTrue(joining.localAddress().isLoopbackAddress());
    }
  }

  @Test
  void aRankThatTookTooLongToIntroduceItselfCallsAgain() throws Exception {
    try (RendezvousHost host = host(1, Duration.ofSeconds(20))) {
      JoiningRank joining =
          JoiningRank.connect(host.environment(0), Deadline.in(Duration.ofSeconds(20)));
      String line = log.poll(15, TimeUnit.SECONDS);
      assertTrue(line != null && line.startsWith("refused a connection from "), line);
      try (Membership membership = joining.join(listening(1000))) {
        assertEquals(1, membership.addresses().size());
      }
    }
  }

  @Test
  void aMeetingPointThatIsNotThereIsSaidSo() throws Exception {
    InetSocketAddress closed;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = (InetSocketAddress) socket.getLocalSocketAddress();
    }
    refused("Connection refused", new JobEnvironment(0, 1, closed, secret));
    WorkFailedException nowhere =
        assertThrows(
            WorkFailedException.class,
            () ->
                RendezvousHost.open(
                    1,
                    secret,
                    InetAddress.getByName("192.0.2.1"),
                    Duration.ofSeconds(20),
                    log::add));
    assertTrue(
        nowhere.getMessage().startsWith("cannot open a meeting point on 192.0.2.1: "),
        nowhere.getMessage());
    UsageException unknown =
        assertThrows(
            UsageException.class,
            () ->
                JobEnvironment.of(
                    Map.of(
                        JobEnvironment.RANK,
                        "0",
                        JobEnvironment.SIZE,
                        "1",
                        JobEnvironment.RENDEZVOUS,
                        "no-such-host.invalid:1",
                        JobEnvironment.SECRET,
                        secret.hex())));
    assertEquals(
        "TANDEM_RENDEZVOUS: the name of host 'no-such-host.invalid' cannot be resolved",
        unknown.getMessage());
  }

  @Test
  void theEnvironmentTravelsInVariablesAndTheSecretIsNotPrinted() {
    try (RendezvousHost host = host(2, Duration.ofSeconds(20))) {
      JobEnvironment job = host.environment(1);
      JobEnvironment copy = JobEnvironment.of(job.variables()).orElseThrow();
      assertEquals(job.variables(), copy.variables());
      assertFalse(job.toString().contains(job.secret().hex()));
      assertEquals(Optional.empty(), JobEnvironment.of(Map.of()));
      Map<String, String> torn = new HashMap<>(job.variables());
      torn.remove(JobEnvironment.SECRET);
      assertThrows(UsageException.class, () -> JobEnvironment.of(torn));
      torn.put(JobEnvironment.SECRET, "12");
      assertThrows(UsageException.class, () -> JobEnvironment.of(torn));
    }
  }
}
