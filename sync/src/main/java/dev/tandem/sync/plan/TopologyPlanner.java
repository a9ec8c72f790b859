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
 * <p>Tensors with other parameters do not close the current buffer: compressed weights and plain
 * biases take turns in every network. So there are a few current buffers, one for each kind, and
 * the cap is for all of them together; the next ones are opened when a tensor does not fit under
 * it, or has an ancestor in the buffer of its kind.
 *
 * <p>Whether a current buffer holds an ancestor takes no search: each node knows the last buffer
 * among its ancestors, from its parents, which come before it. So planning takes time in proportion
 * to nodes and edges.
 *
 * @param capBytes of a fused buffer; a tensor that is larger travels alone
 */
public record TopologyPlanner(long capBytes) {

  private static final int NO_BUFFER = -1;

  /** More kinds of tensors than that do not take turns in any network. */
  private static final int MOST_CURRENT = 8;

  /** The buffers of a plan that is being made. */
  private static final class Buffers {
    private final List<List<Tensor>> all = new ArrayList<>();
    private int firstCurrent;
    private long currentBytes;

    /** The current buffer of a tensor's kind. */
    int ofKind(Tensor tensor) {
      for (int buffer = firstCurrent; buffer < all.size(); buffer++) {
        if (all.get(buffer).getFirst().signature().fusesWith(tensor.signature())) {
          return buffer;
        }
      }
      return NO_BUFFER;
    }

    /** Adds a tensor; its ancestors lie in buffers up to the last. */
    int add(Tensor tensor, int lastOfAncestors, long capBytes) {
      long bytes = tensor.signature().bytes();
      int buffer = ofKind(tensor);
      if (currentBytes + bytes > capBytes
          || (buffer == NO_BUFFER && all.size() - firstCurrent == MOST_CURRENT)
          || (buffer != NO_BUFFER && lastOfAncestors >= buffer)) {
        firstCurrent = all.size();
        currentBytes = 0;
        buffer = NO_BUFFER;
      }
      if (buffer == NO_BUFFER) {
        buffer = all.size();
        all.add(new ArrayList<>());
      }
      all.get(buffer).add(tensor);
      currentBytes += bytes;
      return buffer;
    }
  }

  /** Plans; fails with {@link IllegalArgumentException} if the graph has a cycle. */
  public FusionPlan plan(RequestGraph graph) {
    GraphOrder order = GraphOrder.of(graph);
    int[] lastBuffer = new int[graph.size()];
    Arrays.fill(lastBuffer, NO_BUFFER);
    Buffers buffers = new Buffers();
    for (int node : order.nodes()) {
      if (!order.needed(node)) {
        continue;
      }
      if (graph.tensor(node) >= 0) {
        Tensor tensor = graph.tensors().get(graph.tensor(node));
        lastBuffer[node] = buffers.add(tensor, lastBuffer[node], capBytes);
      }
      for (int place = graph.firstChild(node); place < graph.firstChild(node + 1); place++) {
        int child = graph.child(place);
        lastBuffer[child] = Math.max(lastBuffer[child], lastBuffer[node]);
      }
    }
    return new FusionPlan(buffers.all);
  }
}
