package dev.tandem.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.Level;
import dev.tandem.core.PeerLostException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A rank that goes in the middle of a run ends every call of the others, which name it. */
class LostPeerTest {

  private static final int ELEMENTS = 2000;
  private static final int LAST_STEP = 5;

  /** Which rank is lost out of a layout, at which staleness. */
  @ParameterizedTest
  @CsvSource({
    "beside,0,2",
    "beside,3,0",
    "beside,3,3",
    "proxies,0,2",
    "proxies,3,0",
    "proxies,3,1",
    "proxies,2,3",
    "dedicated,0,3",
    "dedicated,2,3",
    "dedicated,2,0"
  })
  void everyCallEndsAndNamesIt(String kind, int staleness, int lost) throws Exception {
    ServerLayout layout =
        switch (kind) {
          case "beside" -> Layouts.beside(4, 2);
          case "proxies" -> Layouts.beside(4, 2, Level.NODE);
          default -> Layouts.beside(4, 2).withWorkers(List.of(0, 1, 2)).withServers(List.of(3));
        };
    List<Optional<Integer>> named =
        Ranks.run(
            4,
            Duration.ofSeconds(30),
            communicator -> named(communicator, layout, staleness, lost));
    for (int rank = 0; rank < named.size(); rank++) {
      assertEquals(rank == lost ? Optional.empty() : Optional.of(lost), named.get(rank));
    }
  }

  private static Optional<Integer> named(
      Communicator communicator, ServerLayout layout, int staleness, int lost) {
    TestModel model = new TestModel(ELEMENTS);
    ServerSettings settings = new ServerSettings(layout, staleness, TestModel.rule(ELEMENTS));
    int rank = communicator.rank();
    try (ParameterServers servers =
        ParameterServers.start(communicator, settings, model.parameters, model.slots())) {
      if (layout.workers().contains(rank)) {
        work(servers, model, rank, rank == lost ? LAST_STEP : Integer.MAX_VALUE);
      } else if (rank != lost) {
        servers.serve();
      }
      return Optional.empty(); // and closes, without a word
    } catch (PeerLostException e) {
      return Optional.of(e.lostRank());
    }
  }

  /** Works for some steps, or until a rank is lost; then every later call fails as well. */
  private static void work(ParameterServers servers, TestModel model, int rank, int steps) {
    try {
      for (int step = 0; step < steps; step++) {
        servers.update(model.gradient(rank, step), 0.1, model.parameters);
      }
    } catch (PeerLostException e) {
      assertThrows(PeerLostException.class, () -> servers.drain(model.parameters, List.of()));
      assertThrows(PeerLostException.class, servers::finish);
      throw e;
    }
  }
}
