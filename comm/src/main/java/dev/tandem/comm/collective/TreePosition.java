package dev.tandem.comm.collective;

import java.util.List;
import java.util.OptionalInt;

/**
 * The neighbours of a rank in a binary tree over all ranks.
 *
 * <p>The {@link #first} tree has odd ranks as leaves: a rank whose lowest bit is b has its children
 * b / 2 below and above it. The {@link #second} is its mirror image if the number of ranks is even,
 * else it is shifted by one, so that at most one rank has children in both.
 *
 * @param parent nobody for the root
 */
record TreePosition(OptionalInt parent, List<Integer> children) {

  static TreePosition first(int rank, int ranks) {
    if (rank == 0) {
      // The root has one child, in the middle.
      int child = Integer.highestOneBit(Math.max(1, ranks - 1));
      return new TreePosition(OptionalInt.empty(), ranks > 1 ? List.of(child) : List.of());
    }
    int bit = Integer.lowestOneBit(rank);
    int above = (rank ^ bit) | (bit << 1);
    OptionalInt parent = OptionalInt.of(above < ranks ? above : rank ^ bit);
    if (bit == 1) {
      return new TreePosition(parent, List.of());
    }
    int distance = bit / 2;
    while (distance > 0 && rank + distance >= ranks) {
      distance /= 2;
    }
    return new TreePosition(
        parent, distance == 0 ? List.of(rank - bit / 2) : List.of(rank - bit / 2, rank + distance));
  }

  static TreePosition second(int rank, int ranks) {
    if (ranks % 2 == 0) {
      TreePosition mirrored = first(ranks - 1 - rank, ranks);
      return new TreePosition(
          mirrored.parent.isPresent()
              ? OptionalInt.of(ranks - 1 - mirrored.parent.getAsInt())
              : mirrored.parent,
          mirrored.children.stream().map(child -> ranks - 1 - child).toList());
    }
    TreePosition shifted = first((rank + ranks - 1) % ranks, ranks);
    return new TreePosition(
        shifted.parent.isPresent()
            ? OptionalInt.of((shifted.parent.getAsInt() + 1) % ranks)
            : shifted.parent,
        shifted.children.stream().map(child -> (child + 1) % ranks).toList());
  }

  /** How many others it talks to. */
  int neighbours() {
    return children.size() + (parent.isPresent() ? 1 : 0);
  }
}
