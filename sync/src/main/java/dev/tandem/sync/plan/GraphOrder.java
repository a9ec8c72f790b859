package dev.tandem.sync.plan;

import java.util.BitSet;

/**
 * The order of a graph's nodes: by depth (edges on the longest path that leads to the node in the
 * full graph), then by when they were added. Parents come before children, since a child is deeper.
 * The published rules (parents first, siblings as added, others by depth) can contradict each
 * other; this key is one order that keeps all of them wherever they do not.
 *
 * <p>Takes time in proportion to nodes and edges.
 */
final class GraphOrder {

  private final int[] nodes;
  private final BitSet needed;

  private GraphOrder(int[] nodes, BitSet needed) {
    this.nodes = nodes;
    this.needed = needed;
  }

  /** Fails with {@link IllegalArgumentException} if the graph has a cycle. */
  static GraphOrder of(RequestGraph graph) {
    int[] topological = topological(graph);
    return new GraphOrder(byDepth(graph, topological), needed(graph, topological));
  }

  /** All nodes in this order. */
  int[] nodes() {
    return nodes;
  }

  /** Whether a fetch needs this node. */
  boolean needed(int node) {
    return needed.get(node);
  }

  private static int[] topological(RequestGraph graph) {
    int size = graph.size();
    int[] parentsLeft = new int[size];
    for (int place = 0; place < graph.edges(); place++) {
      parentsLeft[graph.child(place)]++;
    }
    int[] queue = new int[size];
    int end = 0;
    for (int node = 0; node < size; node++) {
      if (parentsLeft[node] == 0) {
        queue[end++] = node;
      }
    }
    for (int begin = 0; begin < end; begin++) {
      int node = queue[begin];
      for (int place = graph.firstChild(node); place < graph.firstChild(node + 1); place++) {
        if (--parentsLeft[graph.child(place)] == 0) {
          queue[end++] = graph.child(place);
        }
      }
    }
    if (end < size) {
      throw new IllegalArgumentException(
          "the graph of requests has a cycle through %d of its %d nodes"
              .formatted(size - end, size));
    }
    return queue;
  }

  private static int[] byDepth(RequestGraph graph, int[] topological) {
    int[] depth = new int[graph.size()];
    int deepest = 0;
    for (int node : topological) {
      deepest = Math.max(deepest, depth[node]);
      for (int place = graph.firstChild(node); place < graph.firstChild(node + 1); place++) {
        int child = graph.child(place);
        depth[child] = Math.max(depth[child], depth[node] + 1);
      }
    }
    // A counting sort keeps the order in which nodes were added.
    int[] next = new int[deepest + 2];
    for (int each : depth) {
      next[each + 1]++;
    }
    for (int i = 1; i < next.length; i++) {
      next[i] += next[i - 1];
    }
    int[] sorted = new int[depth.length];
    for (int node = 0; node < depth.length; node++) {
      sorted[next[depth[node]]++] = node;
    }
    return sorted;
  }

  /** What a search back from the fetches would reach, found from the last node to the first. */
  private static BitSet needed(RequestGraph graph, int[] topological) {
    BitSet needed = (BitSet) graph.fetches().clone();
    for (int i = topological.length - 1; i >= 0; i--) {
      int node = topological[i];
      for (int place = graph.firstChild(node);
          !needed.get(node) && place < graph.firstChild(node + 1);
          place++) {
        if (needed.get(graph.child(place))) {
          needed.set(node);
        }
      }
    }
    return needed;
  }
}
