package dev.tandem.comm.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.rendezvous.JobSecret;
import dev.tandem.comm.rendezvous.RendezvousHost;
import dev.tandem.core.Seed;
import dev.tandem.posix.SharedMemoryFile;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random mixtures of everything that a transport can do with messages, on several channels at once,
 * each served by a thread of its own whose memory no other thread may touch.
 */
class MessageMixtureTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int RANKS = 3;
  private static final int CHANNELS = 3;
  private static final int ROUNDS = 25;

  @ParameterizedTest
  @ValueSource(strings = {"shm", "tcp", "hybrid"})
  void mixtures(String kind) throws Exception {
    Seed seed = TestSeed.of(MessageMixtureTest.class);
    Watchdog.within(
        Duration.ofMinutes(1),
        () -> {
          try (RendezvousHost host =
              RendezvousHost.open(RANKS, JobSecret.random(), PATIENCE, line -> {})) {
            List<FutureTask<Void>> ranks = new ArrayList<>();
            for (int rank = 0; rank < RANKS; rank++) {
              int mine = rank;
              ranks.add(started(() -> runRank(kind, host, mine, seed)));
            }
            for (FutureTask<Void> rank : ranks) {
              rank.get();
            }
          }
          return null;
        });
  }

  private interface Work {
    void run() throws Exception;
  }

  private static FutureTask<Void> started(Work work) {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              work.run();
              return null;
            });
    Thread.ofPlatform().daemon().start(task);
    return task;
  }

  private static Transport join(String kind, RendezvousHost host, int rank) {
    return switch (kind) {
      case "shm" ->
          SharedMemoryTransport.join(
              host.environment(rank), PATIENCE, PATIENCE, SharedMemoryFile.folders());
      case "tcp" -> TcpTransport.join(host.environment(rank), PATIENCE, PATIENCE);
      default ->
          HybridTransport.over(
              TcpTransport.join(host.environment(rank).on("host-" + rank / 2), PATIENCE, PATIENCE));
    };
  }

  private static void runRank(String kind, RendezvousHost host, int rank, Seed seed)
      throws Exception {
    try (Transport transport = join(kind, host, rank)) {
      List<FutureTask<Void>> threads = new ArrayList<>();
      for (int channel = 0; channel < CHANNELS; channel++) {
        int number = channel;
        threads.add(
            started(() -> new Channel(transport, number, seed.derive(number).random()).run()));
      }
      for (FutureTask<Void> thread : threads) {
        thread.get();
      }
    }
  }

  /** One channel in one rank; all ranks draw the same random numbers for it. */
  private record Channel(Transport transport, int number, SplittableRandom random) {

    void run() {
      for (int round = 0; round < ROUNDS; round++) {
        try (Arena arena = Arena.ofConfined()) {
          if (random.nextBoolean()) {
            exchangeInACircle(arena, round);
          } else {
            everybodyToEverybody(arena, round);
          }
        }
      }
    }

    private void exchangeInACircle(Arena arena, int round) {
      int distance = random.nextInt(1, RANKS);
      long bytes = length();
      int to = (transport.rank() + distance) % RANKS;
      int from = (transport.rank() + RANKS - distance) % RANKS;
      MemorySegment target = arena.allocate(bytes);
      transport.exchange(
          to, message(arena, transport.rank(), to, round, bytes), from, target, number);
      check(arena, from, round, target);
    }

    private void everybodyToEverybody(Arena arena, int round) {
      boolean expecting = random.nextBoolean();
      long[][] lengths = new long[RANKS][RANKS];
      for (int from = 0; from < RANKS; from++) {
        for (int to = 0; to < RANKS; to++) {
          lengths[from][to] = length();
        }
      }
      int me = transport.rank();
      MemorySegment[] targets = new MemorySegment[RANKS];
      List<Arrival> arrivals = new ArrayList<>();
      for (int from = 0; from < RANKS; from++) {
        targets[from] = arena.allocate(lengths[from][me]);
        if (expecting && from != me) {
          arrivals.add(transport.expect(from, number, targets[from]));
        }
      }
      for (int to = 0; to < RANKS; to++) {
        if (to != me) {
          transport.send(to, number, message(arena, me, to, round, lengths[me][to]));
        }
      }
      arrivals.forEach(Arrival::await);
      for (int from = 0; from < RANKS; from++) {
        if (from != me) {
          if (!expecting) {
            transport.receive(from, number, targets[from]);
          }
          check(arena, from, round, targets[from]);
        }
      }
    }

    private long length() {
      return random.nextInt(1 << random.nextInt(1, 22));
    }

    private void check(Arena arena, int from, int round, MemorySegment received) {
      MemorySegment expected = message(arena, from, transport.rank(), round, received.byteSize());
      assertEquals(-1, expected.mismatch(received), () -> number + ", round " + round);
    }

    private MemorySegment message(Arena arena, int from, int to, int round, long bytes) {
      MemorySegment message = arena.allocate(bytes);
      for (long i = 0; i < bytes; i++) {
        long value = i * 7 + (i >> 8) + from * 31L + to * 17L + round * 5L + number;
        message.set(ValueLayout.JAVA_BYTE, i, (byte) value);
      }
      return message;
    }
  }
}
