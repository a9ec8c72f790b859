package dev.tandem.sync.plan;

import dev.tandem.sync.request.Signature;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * What one step does, as a graph without cycles: nodes that compute and nodes that request a
 * transfer, with edges to those that cannot begin before them (by data or by control). All ranks
 * build it in the same order.
 */
public final class RequestGraph {

  /** A transfer that a node requests. */
  public record Tensor(String name, Signature signature) {}

  private final List<Tensor> tensors;
  private final int[] tensorOfNode;
  private final int[] firstChild;
  private final int[] children;
  private final BitSet fetches;

  private RequestGraph(
      List<Tensor> tensors, int[] tensorOfNode, int[] firstChild, int[] children, BitSet fetches) {
    this.tensors = tensors;
    this.tensorOfNode = tensorOfNode;
    this.firstChild = firstChild;
    this.children = children;
    this.fetches = fetches;
  }

  /** Number of nodes. */
  public int size() {
    return tensorOfNode.length;
  }

  /** Number of edges. */
  public int edges() {
    return children.length;
  }

  /** All requests, in the order in which they were added. */
  public List<Tensor> tensors() {
    return tensors;
  }

  /** The number of the request that a node makes, or -1. */
  int tensor(int node) {
    return tensorOfNode[node];
  }

  /** Where the children of a node begin; they end where those of the next one begin. */
  int firstChild(int node) {
    return firstChild[node];
  }

  int child(int place) {
    return children[place];
  }

  /** What the step is run for; what they do not need is not run. */
  BitSet fetches() {
    return fetches;
  }

  /** Builds a graph; for one thread. */
  public static final class Builder {

    private static final int NONE = -1;

    private final List<Tensor> tensors = new ArrayList<>();
    private final BitSet fetches = new BitSet();
    private int[] tensorOfNode = new int[64];
    private int[] from = new int[64];
    private int[] to = new int[64];
    private int nodes;
    private int edges;

    /** A node that computes. */
    public int node() {
      return add(NONE);
    }

    /** A node that requests a transfer. */
    public int request(String name, Signature signature) {
      tensors.add(new Tensor(name, signature));
      return add(tensors.size() - 1);
    }

    private int add(int tensor) {
      if (nodes == tensorOfNode.length) {
        tensorOfNode = Arrays.copyOf(tensorOfNode, 2 * nodes);
      }
      tensorOfNode[nodes] = tensor;
      return nodes++;
    }

    /** The child cannot begin before the parent is done. */
    public void edge(int parent, int child) {
      if (Math.min(parent, child) < 0 || Math.max(parent, child) >= nodes) {
        throw new IllegalArgumentException("no edge from %d to %d".formatted(parent, child));
      }
      if (edges == from.length) {
        from = Arrays.copyOf(from, 2 * edges);
        to = Arrays.copyOf(to, 2 * edges);
      }
      from[edges] = parent;
      to[edges++] = child;
    }

    /** The step is run for this node; without any, for all of them. */
    public void fetch(int node) {
      fetches.set(node);
    }

    public RequestGraph build() {
      int[] first = new int[nodes + 1];
      for (int edge = 0; edge < edges; edge++) {
        first[from[edge] + 1]++;
      }
      for (int node = 0; node < nodes; node++) {
        first[node + 1] += first[node];
      }
      int[] next = first.clone();
      int[] children = new int[edges];
      for (int edge = 0; edge < edges; edge++) {
        children[next[from[edge]]++] = to[edge];
      }
      if (fetches.isEmpty()) {
        fetches.set(0, nodes);
      }
      return new RequestGraph(
          List.copyOf(tensors),
          Arrays.copyOf(tensorOfNode, nodes),
          first,
          children,
          (BitSet) fetches.clone());
    }
  }
}
