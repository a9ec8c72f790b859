package dev.tandem.comm.rendezvous;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.topology.Topology;
import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** Bad, late, duplicate and unauthenticated joiners in random order: each is told why. */
class RefusalsTest {

  private static final InetSocketAddress LISTENING =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
  private static final int SIZE = 4;

  private final JobSecret secret = JobSecret.random();
  private final BlockingQueue<String> log = new LinkedBlockingQueue<>();

  private static Membership join(JobEnvironment job) {
    return Membership.join(job, LISTENING, Deadline.in(Duration.ofSeconds(20)));
  }

  private void refused(JobEnvironment job, String why) throws Exception {
    WorkFailedException e = assertThrows(WorkFailedException.class, () -> join(job));
    assertTrue(e.getMessage().endsWith(": " + why), e.getMessage());
    assertEquals(1, e.getMessage().lines().count());
    String line = log.take();
    assertTrue(line.startsWith("refused a connection from 127.0.0.1:"), line);
    assertTrue(line.endsWith("rank " + job.rank() + ": " + why), line);
  }

  /** One who should not be let in, whatever has happened before. */
  private void stranger(InetSocketAddress address, SplittableRandom random) throws Exception {
    int rank = random.nextInt(SIZE);
    switch (random.nextInt(3)) {
      case 0 ->
          refused(
              new JobEnvironment(rank, SIZE, address, JobSecret.random()),
              "it does not know the secret of this job");
      case 1 -> {
        int size = SIZE + 1 + random.nextInt(5);
        refused(
            new JobEnvironment(rank, size, address, secret),
            "the job has 4 ranks, not %d".formatted(size));
      }
      default -> oldVersion(address, random.nextInt());
    }
  }

  /** Speaks the protocol of another version. */
  private void oldVersion(InetSocketAddress address, int version) throws Exception {
    try (Socket socket = new Socket()) {
      socket.connect(address);
      DataInputStream in = new DataInputStream(socket.getInputStream());
      int magic = in.readInt();
      int ours = in.readInt();
      int theirs = version == ours ? ours + 1 : version;
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.writeInt(magic);
      out.writeInt(theirs);
      assertTrue(log.take().endsWith(": it speaks version %d, not %d".formatted(theirs, ours)));
    }
  }

  @Test
  void everyRefusalHasItsReasonAndTheJobGoesOn() throws Exception {
    Seed seed = TestSeed.of(RefusalsTest.class);
    SplittableRandom random = seed.random();
    Watchdog.within(
        Duration.ofMinutes(1),
        () -> {
          try (RendezvousHost host =
              RendezvousHost.open(SIZE, secret, Duration.ofSeconds(50), log::add)) {
            InetSocketAddress address = host.environment(0).rendezvous();
            List<FutureTask<Membership>> members = new ArrayList<>();
            for (int rank = 0; rank < SIZE; rank++) {
              for (int i = random.nextInt(4); i > 0; i--) {
                stranger(address, random);
              }
              FutureTask<Membership> member = enter(host.environment(rank), host, rank);
              members.add(member);
              if (rank < SIZE - 1) {
                refused(host.environment(random.nextInt(rank + 1)), "this rank has already joined");
              }
            }
            for (FutureTask<Membership> member : members) {
              assertEquals(Topology.oneHost(SIZE), member.get().topology());
            }
            refused(
                host.environment(random.nextInt(SIZE)),
                "it comes too late, all 4 ranks have joined");
            stranger(address, random);
            for (FutureTask<Membership> member : members) {
              member.get().close();
            }
          }
          return null;
        });
  }

  /** Starts a member, and returns when the meeting point has it. */
  private FutureTask<Membership> enter(JobEnvironment job, RendezvousHost host, int rank) {
    FutureTask<Membership> task = new FutureTask<>(() -> join(job));
    Thread.ofPlatform().daemon().start(task);
    while (host.present() <= rank) {
      Thread.onSpinWait();
    }
    return task;
  }

  @Test
  void whoIsTooLateForItsMeetingPointIsToldWhoWasMissing() throws Exception {
    Watchdog.within(
        Duration.ofSeconds(30),
        () -> {
          try (RendezvousHost host =
              RendezvousHost.open(2, secret, Duration.ofSeconds(1), log::add)) {
            WorkFailedException waiting =
                assertThrows(WorkFailedException.class, () -> join(host.environment(0)));
            String why = "ranks [1] did not join within 1 s";
            assertTrue(waiting.getMessage().endsWith(why), waiting.getMessage());
            refused(host.environment(1), why);
          }
          return null;
        });
  }

  /** Whatever an introduction says is signed: nothing of it can be changed on the way. */
  @Test
  void anIntroductionThatWasChangedOnTheWayIsRefused() throws Exception {
    int fixed = 5 * Integer.BYTES + JobSecret.BYTES;
    int address = fixed + 1;
    int host = address + Addresses.text(LISTENING).length() + 1;
    int signature = host + "a".length();
    // Rank, size, lane, nonce, address, host, signature; lengths would only stop the exchange.
    int[] places = {11, 15, 19, 20, fixed - 1, address, host - 2, host, signature};
    Watchdog.within(
        Duration.ofMinutes(1),
        () -> {
          try (RendezvousHost meetingPoint =
              RendezvousHost.open(2, secret, Duration.ofSeconds(50), log::add)) {
            for (int place : places) {
              assertEquals(
                  "it does not know the secret of this job",
                  joinThrough(meetingPoint.environment(1).on("a"), place, signature),
                  "byte " + place);
              String line = log.take();
              assertTrue(line.endsWith(": it does not know the secret of this job"), line);
            }
            assertEquals(0, meetingPoint.present());
          }
          return null;
        });
  }

  /** Joins over a relay that changes one byte of the introduction; gives the reason of refusal. */
  private static String joinThrough(JobEnvironment job, int place, int signature) throws Exception {
    try (ServerSocket relay = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      FutureTask<Void> middle =
          new FutureTask<>(
              () -> {
                try (Socket victim = relay.accept();
                    Socket server = new Socket()) {
                  server.connect(job.rendezvous());
                  byte[] greeting =
                      server.getInputStream().readNBytes(3 * Integer.BYTES + JobSecret.BYTES);
                  victim.getOutputStream().write(greeting);
                  byte[] introduction =
                      victim.getInputStream().readNBytes(signature + JobSecret.BYTES);
                  introduction[place] ^= 1;
                  server.getOutputStream().write(introduction);
                  server.getInputStream().transferTo(victim.getOutputStream());
                }
                return null;
              });
      Thread.ofPlatform().daemon().start(middle);
      JobEnvironment diverted =
          new JobEnvironment(
                  job.rank(),
                  job.size(),
                  (InetSocketAddress) relay.getLocalSocketAddress(),
                  job.secret())
              .on(job.host());
      WorkFailedException e = assertThrows(WorkFailedException.class, () -> join(diverted));
      middle.get();
      return e.getMessage().substring(e.getMessage().lastIndexOf(": ") + 2);
    }
  }
}
