package dev.tandem.sync.plan;

import dev.tandem.sync.plan.RequestGraph.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * TOPO: plans from the graph of a step. Tensors are taken in {@link GraphOrder}; one joins the
 * current buffer if it has the same parameters, the buffer stays within the cap, and no member is
 * its ancestor (they are logically concurrent); else it opens the next buffer.
 *
 * <p>Whether the current buffer holds an ancestor takes no search: each node knows the last buffer
 * among its ancestors, from its parents, which come before it. So planning takes time in proportion
 * to nodes and edges.
 *
 * @param capBytes of a fused buffer; a tensor that is larger travels alone
 */
public record TopologyPlanner(long capBytes) {

  private static final int NO_BUFFER = -1;

  /** Plans; fails with {@link IllegalArgumentException} if the graph has a cycle. */
  public FusionPlan plan(RequestGraph graph) {
    GraphOrder order = GraphOrder.of(graph);
    int[] lastBuffer = new int[graph.size()];
    Arrays.fill(lastBuffer, NO_BUFFER);
    List<List<Tensor>> buffers = new ArrayList<>();
    long bytes = 0;
    for (int node : order.nodes()) {
      if (!order.needed(node)) {
        continue;
      }
      if (graph.tensor(node) >= 0) {
        Tensor tensor = graph.tensors().get(graph.tensor(node));
        if (!joins(buffers, bytes, tensor, lastBuffer[node])) {
          buffers.add(new ArrayList<>());
          bytes = 0;
        }
        buffers.getLast().add(tensor);
        bytes += tensor.signature().bytes();
        lastBuffer[node] = buffers.size() - 1;
      }
      for (int place = graph.firstChild(node); place < graph.firstChild(node + 1); place++) {
        int child = graph.child(place);
        lastBuffer[child] = Math.max(lastBuffer[child], lastBuffer[node]);
      }
    }
    return new FusionPlan(buffers);
  }

  private boolean joins(List<List<Tensor>> buffers, long bytes, Tensor tensor, int lastBuffer) {
    int current = buffers.size() - 1;
    return current >= 0
        && lastBuffer < current
        && bytes + tensor.signature().bytes() <= capBytes
        && buffers.get(current).getFirst().signature().fusesWith(tensor.signature());
  }
}
