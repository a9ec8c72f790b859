package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.rendezvous.JobSecret;
import dev.tandem.comm.rendezvous.RendezvousHost;
import dev.tandem.comm.topology.Topology;
import dev.tandem.core.DType;
import dev.tandem.core.UsageException;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Ranks of several hosts, which are names here: what they know of each other, and their groups. */
class HostsTest {

  private static long sum(Communicator communicator, long mine) {
    long[] data = {mine};
    communicator.allreduce(MemorySegment.ofArray(data), DType.INT64, ReduceOp.SUM);
    return data[0];
  }

  /** The sum over the own host, and over the leaders of all hosts. */
  private record Sums(long sameHost, Optional<Long> leaders) {}

  private static Sums sums(Communicator communicator) {
    long mine = communicator.rank() + 1L;
    try (Communicator neighbours = communicator.sameHost()) {
      Optional<Communicator> leaders = communicator.leaders();
      Optional<Long> sum = leaders.map(group -> sum(group, mine));
      leaders.ifPresent(Communicator::close);
      return new Sums(sum(neighbours, mine), sum);
    }
  }

  @Test
  void theGroupsOfTwoHosts() throws Exception {
    assertEquals(
        List.of(
            new Sums(1 + 2 + 3, Optional.of(5L)),
            new Sums(1 + 2 + 3, Optional.empty()),
            new Sums(1 + 2 + 3, Optional.empty()),
            new Sums(4 + 5, Optional.of(5L)),
            new Sums(4 + 5, Optional.empty())),
        TestJob.run(TestJob.Kind.HYBRID, 5, HostsTest::sums));
  }

  @ParameterizedTest
  @EnumSource(
      value = TestJob.Kind.class,
      names = {"THREADS", "THREADS_WITH_BOARD", "TCP", "SHARED_MEMORY"})
  void oneHostIsOneGroup(TestJob.Kind kind) throws Exception {
    assertEquals(
        List.of(new Sums(3, Optional.of(1L)), new Sums(3, Optional.empty())),
        TestJob.run(kind, 2, HostsTest::sums));
  }

  @Test
  void memoryIsSharedInsideAHostOnly() throws Exception {
    List<Boolean> shared =
        TestJob.run(
            TestJob.Kind.HYBRID,
            4,
            communicator -> {
              try (Communicator neighbours = communicator.sameHost()) {
                assertEquals(2, neighbours.topology().size());
                assertEquals(1, neighbours.topology().hosts());
                return neighbours.position().sharedMemory()
                    && !communicator.position().sharedMemory();
              }
            });
    assertEquals(List.of(true, true, true, true), shared);
  }

  @Test
  void everyRankKnowsWhereAllAre() throws Exception {
    Topology expected = new Topology(List.of("host-0", "host-0", "host-1"));
    assertEquals(
        List.of(expected, expected, expected),
        TestJob.run(TestJob.Kind.HYBRID, 3, Communicator::topology));
  }

  /** What each of two ranks says, on one host or on two. */
  private static List<String> join(boolean twoHosts, TransportKind kind) throws Exception {
    FaultLimits limits = new FaultLimits(Duration.ofSeconds(30), Duration.ofSeconds(30));
    return Watchdog.within(
        Duration.ofMinutes(1),
        () -> {
          try (RendezvousHost host =
              RendezvousHost.open(2, JobSecret.random(), limits.joining(), line -> {})) {
            List<FutureTask<String>> tasks = new ArrayList<>();
            for (int rank = 0; rank < 2; rank++) {
              int mine = rank;
              String name = twoHosts && rank == 1 ? "b" : "a";
              FutureTask<String> task =
                  new FutureTask<>(
                      () -> {
                        try (Communicator communicator =
                            Communicator.join(host.environment(mine).on(name), limits, kind)) {
                          communicator.barrier();
                          return communicator.position().sharedMemory() ? "shared" : "messages";
                        } catch (UsageException e) {
                          return e.getMessage();
                        }
                      });
              Thread.ofPlatform().daemon().start(task);
              tasks.add(task);
            }
            return List.of(tasks.get(0).get(), tasks.get(1).get());
          }
        });
  }

  @ParameterizedTest
  @CsvSource({"false, auto, shared", "true, auto, messages", "false, hybrid, shared"})
  void theTransportFollowsTheHosts(boolean twoHosts, String kind, String expected)
      throws Exception {
    assertEquals(List.of(expected, expected), join(twoHosts, TransportKind.of("the test", kind)));
  }

  @Test
  void sharedMemoryAcrossHostsIsRefused() throws Exception {
    String why = "transport shm needs all ranks on one host, but they are on 2: use hybrid or tcp";
    assertEquals(List.of(why, why), join(true, TransportKind.SHARED_MEMORY));
  }

  @Test
  void anUnknownTransportIsNamed() {
    UsageException e =
        assertThrows(UsageException.class, () -> TransportKind.of("--transport", "pigeon"));
    assertEquals("--transport must be one of auto, shm, tcp, hybrid, not 'pigeon'", e.getMessage());
  }
}
