package dev.tandem.comm.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.rendezvous.Deadline;
import dev.tandem.comm.rendezvous.Handshake;
import dev.tandem.comm.rendezvous.Handshake.Introduction;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.comm.rendezvous.JobSecret;
import dev.tandem.comm.rendezvous.JoiningRank;
import dev.tandem.comm.rendezvous.Link;
import dev.tandem.comm.rendezvous.Membership;
import dev.tandem.comm.rendezvous.RendezvousHost;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Ranks that are connected to all others wait for those that are not. */
class SlowConnectionTest {

  private static final Duration SILENCE = Duration.ofMillis(300);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static FutureTask<TcpTransport> join(RendezvousHost host, int rank) {
    FutureTask<TcpTransport> task =
        new FutureTask<>(() -> TcpTransport.join(host.environment(rank), SILENCE, PATIENCE));
    Thread.ofPlatform().daemon().name("test-rank-" + rank).start(task);
    return task;
  }

  private static Socket call(JobEnvironment job, Membership membership, int rank)
      throws IOException {
    Socket socket = new Socket();
    socket.connect(membership.addresses().get(rank));
    Introduction me =
        Introduction.of(job, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1), 0);
    Handshake.initiate(Link.plain(socket), job.secret(), rank, me, Deadline.in(PATIENCE));
    return socket;
  }

  /**
   * Rank 2 is slow: it has called rank 0 but not yet rank 1, which therefore says nothing to rank 0
   * for several times the limit.
   */
  @Test
  void aRankThatStillWaitsForACallIsNotLost() throws Exception {
    Watchdog.within(
        Duration.ofMinutes(1),
        () -> {
          try (RendezvousHost host =
              RendezvousHost.open(3, JobSecret.random(), PATIENCE, line -> {})) {
            FutureTask<TcpTransport> first = join(host, 0);
            FutureTask<TcpTransport> second = join(host, 1);
            JobEnvironment job = host.environment(2);
            try (JoiningRank joining = JoiningRank.connect(job, Deadline.in(PATIENCE));
                Membership membership =
                    joining.join(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
                Socket toFirst = call(job, membership, 0);
                TcpTransport rank0 = first.get()) {
              TimeUnit.MILLISECONDS.sleep(4 * SILENCE.toMillis());
              try (Socket toSecond = call(job, membership, 1);
                  TcpTransport rank1 = second.get()) {
                byte[] got = new byte[1];
                rank0.send(1, 0, MemorySegment.ofArray(new byte[] {7}));
                rank1.receive(0, 0, MemorySegment.ofArray(got));
                assertEquals(7, got[0]);
                assertTrue(toFirst.isConnected() && toSecond.isConnected());
              }
            }
          }
          return null;
        });
  }
}
