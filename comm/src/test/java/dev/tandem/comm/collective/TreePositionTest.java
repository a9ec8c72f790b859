package dev.tandem.comm.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TreePositionTest {

  @Test
  void bothAreTreesOfSmallDepthForAnyNumberOfRanks() {
    for (int ranks = 1; ranks <= 70; ranks++) {
      int size = ranks;
      check(size, rank -> TreePosition.first(rank, size));
      check(size, rank -> TreePosition.second(rank, size));
      long busy =
          IntStream.range(0, size)
              .filter(
                  rank ->
                      !TreePosition.first(rank, size).children().isEmpty()
                          && !TreePosition.second(rank, size).children().isEmpty())
              .count();
      assertTrue(busy <= 1, busy + " of " + ranks + " ranks have children in both trees");
    }
  }

  private static void check(int ranks, IntFunction<TreePosition> tree) {
    int roots = 0;
    for (int rank = 0; rank < ranks; rank++) {
      TreePosition position = tree.apply(rank);
      for (int child : position.children()) {
        assertEquals(rank, tree.apply(child).parent().orElseThrow());
      }
      int depth = 0;
      int at = rank;
      while (tree.apply(at).parent().isPresent()) {
        int parent = tree.apply(at).parent().getAsInt();
        assertTrue(tree.apply(parent).children().contains(at));
        at = parent;
        depth++;
      }
      assertTrue(depth <= Rounds.log2Ceiling(ranks), depth + " steps up among " + ranks);
      roots += position.parent().isEmpty() ? 1 : 0;
    }
    assertEquals(1, roots);
  }
}
