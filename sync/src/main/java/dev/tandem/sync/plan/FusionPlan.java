package dev.tandem.sync.plan;

import dev.tandem.sync.plan.RequestGraph.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The transfers of a step: which tensors travel together, and in which order. Immutable.
 *
 * <p>{@code Note [TOPO deadlock freedom]}: a synchroniser that follows a plan transfers buffer k
 * only when all its tensors have been requested, and only after buffers 0 to k - 1. That never
 * waits for ever, because a plan keeps this invariant: <em>the ancestors (in the graph of requests)
 * of a tensor in buffer k lie in buffers before k</em>. By induction, suppose that all ranks have
 * transferred the buffers before k. What a request of buffer k waits for in the program are results
 * of its ancestors, which are all there, and computation, which ends; so on every rank all requests
 * of buffer k arrive in finite time, whatever the order of threads, and every rank enters the
 * transfer of k. All ranks transfer the same buffers in the same order, since they agreed on the
 * plan's hash, so no two of them ever wait for each other in different transfers.
 *
 * <p>The planners keep the invariant: {@link TopologyPlanner} adds a tensor to a buffer only if all
 * its ancestors, which come before it in the order and so have their buffers, lie in earlier ones;
 * else it opens a new buffer after all others. {@link BucketPlanner} fuses only tensors that
 * nothing depends on, and puts a bucket where its last tensor becomes ready. A program that does
 * not do what its graph says (dynamic layers, parameters without gradient) breaks the premise, not
 * the argument: the synchroniser notices, see {@code Note [leaving a plan]}.
 */
public final class FusionPlan {

  /** Where a tensor travels. */
  public record Place(int buffer, int slot, Tensor tensor) {}

  private final List<List<Tensor>> buffers;
  private final Map<String, Place> places = new HashMap<>();
  private final long hash;

  /** A plan of these buffers; names must not repeat. */
  public FusionPlan(List<List<Tensor>> buffers) {
    this.buffers = buffers.stream().map(List::copyOf).toList();
    long sum = 1;
    for (int buffer = 0; buffer < this.buffers.size(); buffer++) {
      List<Tensor> members = this.buffers.get(buffer);
      for (int slot = 0; slot < members.size(); slot++) {
        Tensor tensor = members.get(slot);
        if (places.put(tensor.name(), new Place(buffer, slot, tensor)) != null) {
          throw new IllegalArgumentException("two requests are named " + tensor.name());
        }
        sum = mix(sum, text(tensor.name()));
        sum = mix(sum, text(tensor.signature().toString()));
        sum = mix(sum, buffer);
      }
    }
    this.hash = sum;
  }

  /** The tensors that travel together, transfer by transfer. */
  public List<List<Tensor>> buffers() {
    return buffers;
  }

  /** Where a tensor of this name travels. */
  public Optional<Place> place(String name) {
    return Optional.ofNullable(places.get(name));
  }

  /** Number of tensors. */
  public int tensors() {
    return places.size();
  }

  /** The same for the same names, signatures and buffers, and for others hardly ever. */
  public long hash() {
    return hash;
  }

  /** Mixes a number into a hash. */
  public static long mix(long hash, long value) {
    long z = (hash ^ value) * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    return z ^ (z >>> 31);
  }

  private static long text(String value) {
    long sum = value.length();
    for (int i = 0; i < value.length(); i++) {
      sum = sum * 0x100000001B3L + value.charAt(i);
    }
    return sum;
  }

  @Override
  public String toString() {
    List<Integer> sizes = new ArrayList<>();
    buffers.forEach(members -> sizes.add(members.size()));
    return "%d tensors in buffers of %s".formatted(tensors(), sizes);
  }
}
