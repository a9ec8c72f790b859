package dev.tandem.sync.plan;

import dev.tandem.sync.plan.RequestGraph.Tensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Fixed buckets in the order in which gradients become ready, which is the reverse order of the
 * layers, as PyTorch's DistributedDataParallel forms them: tensors are added until a bucket has
 * reached its size; the first is small, so that transfers begin early. Tensors with different
 * parameters, such as compressed weights and plain biases, fill different buckets. A tensor on
 * which others of the step depend travels alone, at once.
 *
 * @param bucketBytes when a bucket is full
 * @param firstBytes when the first bucket is full
 */
public record BucketPlanner(long bucketBytes, long firstBytes) {

  private static final class Bucket {
    private final List<Tensor> members = new ArrayList<>();
    private long bytes;
    private int readyAt;
  }

  /** Plans; requests were added to the graph in the order in which a rank makes them. */
  public FusionPlan plan(RequestGraph graph) {
    List<Bucket> buckets = new ArrayList<>();
    List<Bucket> filling = new ArrayList<>();
    boolean first = true;
    for (int node = 0; node < graph.size(); node++) {
      if (graph.tensor(node) < 0) {
        continue;
      }
      Tensor tensor = graph.tensors().get(graph.tensor(node));
      boolean awaited = graph.firstChild(node) < graph.firstChild(node + 1);
      if (awaited || !tensor.signature().operation().fusible()) {
        Bucket own = new Bucket();
        add(own, tensor, node);
        buckets.add(own);
        continue;
      }
      Bucket open = ofKind(filling, tensor);
      add(open, tensor, node);
      if (open.bytes >= (first ? firstBytes : bucketBytes)) {
        buckets.add(open);
        filling.remove(open);
        first = false;
      }
    }
    buckets.addAll(filling);
    buckets.sort(Comparator.comparingInt((Bucket bucket) -> bucket.readyAt));
    return new FusionPlan(buckets.stream().map(bucket -> bucket.members).toList());
  }

  private static Bucket ofKind(List<Bucket> filling, Tensor tensor) {
    for (Bucket bucket : filling) {
      if (bucket.members.getFirst().signature().fusesWith(tensor.signature())) {
        return bucket;
      }
    }
    Bucket another = new Bucket();
    filling.add(another);
    return another;
  }

  private static void add(Bucket bucket, Tensor tensor, int node) {
    bucket.members.add(tensor);
    bucket.bytes += tensor.signature().bytes();
    bucket.readyAt = node;
  }
}
