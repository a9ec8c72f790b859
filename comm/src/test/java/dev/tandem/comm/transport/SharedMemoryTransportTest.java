package dev.tandem.comm.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.rendezvous.JobSecret;
import dev.tandem.comm.rendezvous.RendezvousHost;
import dev.tandem.core.PeerLostException;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedMemoryTransportTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path folder;

  /** For each of two ranks, what the other wrote into the slots, if they got one. */
  private List<Optional<Long>> exchange(List<Path> folders) throws Exception {
    return Watchdog.within(
        Duration.ofMinutes(1),
        () -> {
          try (RendezvousHost host =
              RendezvousHost.open(2, JobSecret.random(), PATIENCE, line -> {})) {
            List<FutureTask<Optional<Long>>> tasks = new ArrayList<>();
            for (int rank = 0; rank < 2; rank++) {
              int mine = rank;
              FutureTask<Optional<Long>> task =
                  new FutureTask<>(() -> exchange(host, mine, folders));
              Thread.ofPlatform().daemon().start(task);
              tasks.add(task);
            }
            List<Optional<Long>> results = new ArrayList<>();
            for (FutureTask<Optional<Long>> task : tasks) {
              results.add(task.get());
            }
            return results;
          }
        });
  }

  private Optional<Long> exchange(RendezvousHost host, int rank, List<Path> folders)
      throws Exception {
    try (SharedMemoryTransport transport =
        SharedMemoryTransport.join(host.environment(rank), PATIENCE, PATIENCE, folders)) {
      long[] received = new long[100_000];
      long[] sent = new long[received.length];
      Arrays.fill(sent, rank);
      transport.exchange(
          1 - rank, MemorySegment.ofArray(sent), 1 - rank, MemorySegment.ofArray(received), 1);
      assertEquals((1L - rank) * sent.length, LongStream.of(received).sum());
      Optional<SharedSlots> slots = transport.slots(0, new int[] {0, 1});
      if (slots.isEmpty()) {
        return Optional.empty();
      }
      try (SharedSlots shared = slots.get();
          Stream<Path> files = Files.list(folder)) {
        assertEquals(0, files.count(), "the file must be gone as soon as all have mapped it");
        shared.put(MemorySegment.ofArray(new long[] {100 + rank}), 0);
        shared.turn();
        return Optional.of(shared.slot(1 - rank, 0, Long.BYTES).get(ValueLayout.JAVA_LONG, 0));
      }
    }
  }

  @Test
  void aFolderWithoutRoomIsPassedOverAndNothingIsLeft() throws Exception {
    assertEquals(
        List.of(Optional.of(101L), Optional.of(100L)),
        exchange(List.of(folder.resolve("missing"), folder)));
  }

  @Test
  void aMemberThatIsLostBeforeItHasMappedTheFileLeavesNone() throws Exception {
    Watchdog.within(
        Duration.ofMinutes(1),
        () -> {
          try (RendezvousHost host =
              RendezvousHost.open(2, JobSecret.random(), PATIENCE, line -> {})) {
            FutureTask<PeerLostException> first =
                new FutureTask<>(
                    () -> {
                      try (SharedMemoryTransport transport =
                          SharedMemoryTransport.join(
                              host.environment(0), PATIENCE, PATIENCE, List.of(folder))) {
                        return assertThrows(
                            PeerLostException.class, () -> transport.slots(0, new int[] {0, 1}));
                      }
                    });
            Thread.ofPlatform().daemon().start(first);
            SharedMemoryTransport.join(host.environment(1), PATIENCE, PATIENCE, List.of(folder))
                .close();
            assertEquals(1, first.get().lostRank());
            try (Stream<Path> files = Files.list(folder)) {
              assertEquals(0, files.count());
            }
          }
          return null;
        });
  }

  @Test
  void withoutAnyRoomAllRanksAgreeToDoWithout() throws Exception {
    assertEquals(
        List.of(Optional.empty(), Optional.empty()), exchange(List.of(folder.resolve("missing"))));
    assertTrue(Files.exists(folder));
  }
}
