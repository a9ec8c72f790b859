package dev.tandem.oracle.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import dev.tandem.oracle.collective.Group;
import dev.tandem.oracle.profile.Profile.Collective;
import dev.tandem.parallel.cost.PlanTraffic.Operation;
import java.util.List;
import org.junit.jupiter.api.Test;

class MeasuredCollectivesTest {

  private static final MeasuredCollectives MEASURED =
      of(
          new Collective("allreduce", 2, 1, 4, 1e-5, 0.1),
          new Collective("allreduce", 2, 1, 1 << 20, 1e-3, 0.1),
          new Collective("allreduce", 2, 1, 4 << 20, 4e-3, 0.1),
          new Collective("exchange", 2, 1, 4, 2e-5, 0.1),
          new Collective("exchange", 2, 1, 1 << 20, 5e-4, 0.1));

  private static MeasuredCollectives of(Collective... rows) {
    return new MeasuredCollectives(
        new Profile(
            1,
            "",
            2,
            2,
            1,
            0,
            "float32",
            "",
            List.of(),
            List.of(),
            0,
            0,
            null,
            1,
            List.of(),
            List.of(rows)));
  }

  private static double allreduce(int ranks, int flows, long bytes) {
    return MEASURED.of(Operation.ALLREDUCE, new Group(ranks, 1, flows), bytes, 1);
  }

  @Test
  void betweenLengthsByFactorsAndBeyondByBytes() {
    assertEquals(1e-5, allreduce(2, 1, 4), 1e-12);
    assertEquals(1e-5, allreduce(2, 1, 1), 1e-12);
    assertEquals(1e-3, allreduce(2, 1, 1 << 20), 1e-9);
    // Half way in factors: 2 KiB lie between 4 B and 1 MiB.
    assertEquals(1e-4, allreduce(2, 1, 1 << 11), 1e-9);
    assertEquals(4e-3 + 4e-3, allreduce(2, 1, 8 << 20), 1e-4);
    assertEquals(0, allreduce(1, 1, 100));
  }

  /** What moves bytes is shared, what waits is not. */
  @Test
  void groupsAtTheSameTimeShareBandwidth() {
    assertEquals(allreduce(2, 1, 4), allreduce(2, 2, 4), 1e-12);
    assertEquals(2 * 1e-3, allreduce(2, 2, 1 << 20), 2e-5);
  }

  @Test
  void moreRanksTakeMoreStepsAndBytes() {
    assertTrue(allreduce(4, 1, 1 << 20) > 1.2 * allreduce(2, 1, 1 << 20));
    assertTrue(allreduce(8, 1, 1 << 20) >= allreduce(4, 1, 1 << 20));
  }

  @Test
  void messagesCostTheirLatencyEach() {
    Group pair = new Group(2, 1, 1);
    double one = MEASURED.of(Operation.EXCHANGE, pair, 1 << 20, 1);
    assertEquals(2e-5, MEASURED.of(Operation.EXCHANGE, pair, 1 << 20, 2) - one, 1e-9);
  }

  @Test
  void whatIsNotMeasuredIsNamed() {
    UsageException refused =
        assertThrows(
            UsageException.class,
            () -> MEASURED.of(Operation.REDUCE_SCATTER, new Group(2, 1, 1), 8, 1));
    assertTrue(refused.getMessage().contains("no reduce-scatter"));
  }
}
