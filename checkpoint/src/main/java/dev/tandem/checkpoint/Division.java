package dev.tandem.checkpoint;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which of the ranks that hold the same writes which part of it. All ranks compute it from the same
 * holdings and get the same.
 *
 * <p>Ranks that hold the same blocks put these one after the other and cut the row of bytes into
 * equally long parts, each cut moved to the nearest row of the tensor it falls in. So the parts
 * differ by one row of a tensor at most, and nearly all tensors stay in one piece.
 */
final class Division {

  private Division() {}

  /**
   * A part of a tensor that one rank writes.
   *
   * @param holding what the rank has
   * @param block what of it is written
   */
  record Share(Holding holding, Block block) {

    long bytes() {
      return block.elements() * holding.type().bytes();
    }
  }

  /** What one rank writes. */
  static List<Share> of(List<List<Holding>> holdings, int rank) {
    Map<Holding, List<Integer>> holders = new LinkedHashMap<>();
    for (int r = 0; r < holdings.size(); r++) {
      for (Holding holding : holdings.get(r)) {
        holders.computeIfAbsent(holding, h -> new ArrayList<>()).add(r);
      }
    }
    Map<String, List<Holding>> byHolders = new TreeMap<>();
    holders.forEach(
        (holding, ranks) ->
            byHolders.computeIfAbsent(ranks.toString(), r -> new ArrayList<>()).add(holding));
    List<Share> shares = new ArrayList<>();
    for (List<Holding> together : byHolders.values()) {
      List<Integer> ranks = holders.get(together.getFirst());
      int place = ranks.indexOf(rank);
      if (place >= 0) {
        cut(together, ranks.size(), place, shares);
      }
    }
    return shares;
  }

  private static void cut(List<Holding> together, int parts, int part, List<Share> shares) {
    long total = together.stream().mapToLong(Holding::bytes).sum();
    long at = 0;
    for (Holding holding : together) {
      long bytes = holding.bytes();
      if (bytes == 0) {
        if (part == 0) {
          shares.add(new Share(holding, holding.block()));
        }
        continue;
      }
      long rows = holding.block().rows();
      long rowBytes = bytes / rows;
      long from = row(cutAt(total, part, parts) - at, rowBytes, rows);
      long to = row(cutAt(total, part + 1, parts) - at, rowBytes, rows);
      if (from < to) {
        shares.add(new Share(holding, holding.block().rows(from, to)));
      }
      at += bytes;
    }
  }

  private static long cutAt(long total, int part, int parts) {
    // Exact where total times parts would not fit a long.
    return total / parts * part + total % parts * part / parts;
  }

  /** The row whose beginning is nearest to this byte. */
  private static long row(long offset, long rowBytes, long rows) {
    return Math.clamp(Math.floorDiv(offset + rowBytes / 2, rowBytes), 0, rows);
  }
}
