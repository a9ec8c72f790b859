package dev.tandem.comm.collective;

import java.util.ArrayList;
import java.util.List;

/**
 * The one binary tree over a number of logical shards: a node over the shards from {@code first} to
 * {@code end} splits in the middle of the next power of two, so its shape depends on the number of
 * shards alone.
 */
record CanonicalTree(int shards) {

  /** A node: the shards from {@code first} up to but not including {@code end}. */
  record Node(int first, int end) {

    boolean leaf() {
      return end - first == 1;
    }

    /** Where the right half begins. */
    int middle() {
      return first + Integer.highestOneBit(end - first - 1);
    }

    Node left() {
      return new Node(first, middle());
    }

    Node right() {
      return new Node(middle(), end);
    }

    boolean within(int from, int to) {
      return from <= first && end <= to;
    }

    boolean misses(int from, int to) {
      return end <= from || to <= first;
    }
  }

  Node root() {
    return new Node(0, shards);
  }

  /** The fewest nodes that make up a run of shards, in order: what its holder can finish alone. */
  List<Node> cover(int from, int to) {
    List<Node> nodes = new ArrayList<>();
    cover(root(), from, to, nodes);
    return nodes;
  }

  private static void cover(Node node, int from, int to, List<Node> nodes) {
    if (node.misses(from, to)) {
      return;
    }
    if (node.within(from, to)) {
      nodes.add(node);
      return;
    }
    cover(node.left(), from, to, nodes);
    cover(node.right(), from, to, nodes);
  }
}
