package dev.tandem.sync.plan;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.sync.request.Signature;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Random graphs without cycles, with what a test must know about them. */
public final class RandomGraphs {

  /**
   * A graph.
   *
   * @param parents of each node
   * @param names of each node's request, or null
   */
  public record Sample(RequestGraph graph, List<List<Integer>> parents, List<String> names) {}

  private RandomGraphs() {}

  /** A graph with some requests, whose nodes were added in an order that is not topological. */
  public static Sample sample(SplittableRandom random, int nodes) {
    RequestGraph.Builder builder = new RequestGraph.Builder();
    List<String> names = new ArrayList<>();
    List<List<Integer>> parents = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      boolean requests = random.nextInt(3) > 0;
      names.add(requests ? "t" + node : null);
      parents.add(new ArrayList<>());
      if (requests) {
        DType dtype = random.nextInt(5) == 0 ? DType.FLOAT64 : DType.FLOAT32;
        builder.request("t" + node, Signature.sum(dtype, Shape.of(1 + random.nextInt(50))));
      } else {
        builder.node();
      }
    }
    int[] rank = new int[nodes];
    for (int i = 0; i < nodes; i++) {
      int j = random.nextInt(i + 1);
      rank[i] = rank[j];
      rank[j] = i;
    }
    int edges = random.nextInt(2 * nodes + 1);
    for (int i = 0; i < edges; i++) {
      int a = random.nextInt(nodes);
      int b = random.nextInt(nodes);
      if (rank[a] < rank[b]) {
        builder.edge(a, b);
        parents.get(b).add(a);
      }
    }
    return new Sample(builder.build(), parents, names);
  }
}
