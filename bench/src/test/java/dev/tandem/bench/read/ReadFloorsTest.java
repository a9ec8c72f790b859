package dev.tandem.bench.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class ReadFloorsTest {

  private static ReadRow row(ReadAccess access, int processes, String contender, double speed) {
    return new ReadRow(
        "cifar", access, "cold", 128, processes, contender, 1, null, speed, null, null);
  }

  @Test
  void autoIsComparedWithThePeersOfItsOwnCase() {
    List<ReadFloors.Verdict> verdicts =
        ReadFloors.check(
            List.of(
                row(ReadAccess.STRIDED, 1, "ceiling", 1000),
                row(ReadAccess.STRIDED, 1, "liblmdb", 400),
                row(ReadAccess.STRIDED, 1, "auto", 900),
                row(ReadAccess.STRIDED, 4, "liblmdb", 5000)));
    assertEquals(2, verdicts.size(), verdicts::toString);
    assertEquals(0.9, verdicts.getFirst().reached(), 1e-9);
    assertTrue(verdicts.getFirst().met());
    assertEquals(2.25, verdicts.getLast().reached(), 1e-9);
    assertTrue(verdicts.getLast().met());
  }

  @Test
  void theBestModeMustBeTenTimesTheBaselineOnThrottledStorage() {
    List<ReadFloors.Verdict> verdicts =
        ReadFloors.check(
            List.of(
                row(ReadAccess.THROTTLED, 8, "lmdb", 100),
                row(ReadAccess.THROTTLED, 8, "prov", 500),
                row(ReadAccess.THROTTLED, 8, "stag", 900)));
    assertEquals(1, verdicts.size());
    assertEquals(9, verdicts.getFirst().reached(), 1e-9);
    assertFalse(verdicts.getFirst().met());
  }
}
