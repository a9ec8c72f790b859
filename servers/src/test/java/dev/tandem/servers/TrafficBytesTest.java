package dev.tandem.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.Level;
import dev.tandem.comm.transport.Traffic;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The traffic is what {@code Note [traffic bytes]} says, and what the transport has counted. */
class TrafficBytesTest {

  private static final int STEPS = 5;

  /** A multiple of what shards begin at, for every number of ranks here. */
  private static final int ELEMENTS = 16 * 24;

  private static final long P = ELEMENTS * Float.BYTES;

  /** Groups that are formed in the beginning: rank 0 tells the others the number of each. */
  private static final int GROUPS = 3;

  /** A push and its request, an ask, and the answer's header: of each pair that talks. */
  private static final long HEADERS = 2 * Wire.REQUEST_BYTES + Wire.ANSWER_BYTES;

  private static TrafficBytes traffic(ServerLayout layout, int staleness) throws Exception {
    List<TrafficBytes> ofRanks =
        Ranks.run(
            layout.places().ranks(),
            Duration.ofSeconds(60),
            communicator -> work(communicator, layout, staleness));
    return ofRanks.stream().reduce(TrafficBytes.NOTHING, TrafficBytes::plus);
  }

  private static TrafficBytes work(Communicator communicator, ServerLayout layout, int staleness) {
    TestModel model = new TestModel(ELEMENTS);
    ServerSettings settings = new ServerSettings(layout, staleness, TestModel.rule(ELEMENTS));
    Traffic before = communicator.traffic();
    try (ParameterServers servers =
        ParameterServers.start(communicator, settings, model.parameters, model.slots())) {
      for (int step = 0; step < STEPS; step++) {
        servers.update(model.gradient(communicator.rank(), step), 0.1, model.parameters);
      }
      servers.finish();
      TrafficBytes traffic = servers.traffic();
      long agreed = communicator.rank() == 0 ? GROUPS * 4L * (communicator.size() - 1) : 0;
      assertEquals(
          traffic.near() + traffic.far() + agreed,
          communicator.traffic().since(before).bytesSent());
      return traffic;
    }
  }

  /** What goodbyes cost: one request to each remote store that a client used. */
  private static TrafficBytes goodbyes(long nearPairs, long farPairs) {
    return new TrafficBytes(nearPairs * Wire.REQUEST_BYTES, farPairs * Wire.REQUEST_BYTES);
  }

  @ParameterizedTest
  @CsvSource({"4,2,0", "4,2,2", "6,3,0", "6,2,1", "8,4,0"})
  void theClosedFormHolds(int n, int k, int staleness) throws Exception {
    long pairsNear = (long) n * (k - 1);
    long pairsFar = (long) n * (n - k);
    TrafficBytes expected =
        new TrafficBytes(
                STEPS * (2 * P * (k - 1) + pairsNear * HEADERS),
                STEPS * (2 * P * (n - k) + pairsFar * HEADERS))
            .plus(goodbyes(pairsNear, pairsFar));
    TrafficBytes direct = traffic(Layouts.beside(n, k), staleness);
    assertEquals(expected, direct);

    // One proxy for each node: its other workers talk to it, and it to all remote shards.
    long proxies = n / k;
    long proxiedNear = proxies * (k - 1) + proxies * (k - 1);
    long proxiedFar = proxies * (n - k);
    TrafficBytes expectedProxied =
        new TrafficBytes(
                STEPS * (2 * P * (k - 1) * (n + 1) / k + proxiedNear * HEADERS),
                STEPS * (2 * P * (n - k) / k + proxiedFar * HEADERS))
            .plus(goodbyes(proxiedNear, proxiedFar));
    TrafficBytes proxied = traffic(Layouts.beside(n, k, Level.NODE), staleness);
    assertEquals(expectedProxied, proxied);
    assertTrue(proxied.far() < direct.far());
  }
}
