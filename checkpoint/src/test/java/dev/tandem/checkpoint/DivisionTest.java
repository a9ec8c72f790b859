package dev.tandem.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.testkit.TestSeed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DivisionTest {

  private static Holding whole(String name, Long... shape) {
    List<Long> extents = List.of(shape);
    return new Holding(
        name, "F32", extents, new Block(Collections.nCopies(extents.size(), 0L), extents));
  }

  @Test
  void replicasWriteEquallyMuchWithinARow() {
    SplittableRandom random = TestSeed.of(getClass()).random();
    for (int round = 0; round < 200; round++) {
      List<Holding> all = new ArrayList<>();
      long largestRow = 0;
      for (int i = 0; i < 1 + random.nextInt(30); i++) {
        Holding holding =
            whole(
                "t" + i, 1L + random.nextInt(50), 1L + random.nextInt(20), 1L + random.nextInt(9));
        all.add(holding);
        largestRow = Math.max(largestRow, holding.bytes() / holding.block().rows());
      }
      int ranks = 1 + random.nextInt(9);
      long total = all.stream().mapToLong(Holding::bytes).sum();
      long sum = 0;
      for (int rank = 0; rank < ranks; rank++) {
        long bytes =
            Division.of(Collections.nCopies(ranks, all), rank).stream()
                .mapToLong(Division.Share::bytes)
                .sum();
        sum += bytes;
        assertTrue(
            Math.abs(bytes - total / (double) ranks) <= largestRow + 1,
            "rank %d of %d writes %d of %d bytes, rows have %d"
                .formatted(rank, ranks, bytes, total, largestRow));
      }
      assertEquals(total, sum);
    }
  }

  @Test
  void aTensorWithoutElementsAndAScalarAreWrittenOnce() {
    List<Holding> all = List.of(whole("none", 0L, 3L), whole("scalar"));
    long pieces = 0;
    for (int rank = 0; rank < 4; rank++) {
      pieces += Division.of(Collections.nCopies(4, all), rank).size();
    }
    assertEquals(2, pieces);
  }
}
