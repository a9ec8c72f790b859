package dev.tandem.sync.agent;

import dev.tandem.core.TensorView;
import dev.tandem.sync.plan.FusionPlan;
import dev.tandem.sync.plan.RequestGraph.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The one buffer that a network keeps its gradients in, with small gaps for alignment. Fused
 * gradients that lie side by side there are reduced as one slice of it, gaps and all, without a
 * copy. Borrowed from the network.
 */
public final class GradientMemory {

  /** Wider gaps are not alignment. */
  private static final long GAP_BYTES = 64;

  private final MemorySegment buffer;
  private final Map<String, MemorySegment> slices = new HashMap<>();

  /**
   * The memory of a network.
   *
   * @param gradients slices of the buffer
   */
  public GradientMemory(MemorySegment buffer, List<TensorView> gradients) {
    this.buffer = buffer;
    gradients.forEach(gradient -> slices.put(gradient.name(), gradient.data()));
  }

  /** For each buffer of the plan the slice that holds its tensors and nothing else, if any. */
  List<Optional<MemorySegment>> slices(FusionPlan plan) {
    return plan.buffers().stream().map(this::slice).toList();
  }

  /** The same on ranks that have the same slices in the same places. */
  long hash(FusionPlan plan) {
    long hash = 0;
    for (Optional<MemorySegment> slice : slices(plan)) {
      hash = FusionPlan.mix(hash, slice.map(this::offset).orElse(-1L));
      hash = FusionPlan.mix(hash, slice.map(MemorySegment::byteSize).orElse(-1L));
    }
    return hash;
  }

  private long offset(MemorySegment slice) {
    return slice.address() - buffer.address();
  }

  private Optional<MemorySegment> slice(List<Tensor> tensors) {
    if (!tensors.getFirst().signature().plainSum()) {
      return Optional.empty();
    }
    List<MemorySegment> parts = new ArrayList<>();
    for (Tensor tensor : tensors) {
      MemorySegment part = slices.get(tensor.name());
      if (part == null || part.byteSize() != tensor.signature().bytes()) {
        return Optional.empty();
      }
      parts.add(part);
    }
    parts.sort(Comparator.comparingLong(MemorySegment::address));
    for (int i = 1; i < parts.size(); i++) {
      MemorySegment before = parts.get(i - 1);
      long gap = parts.get(i).address() - before.address() - before.byteSize();
      if (gap < 0 || gap >= GAP_BYTES) {
        return Optional.empty();
      }
    }
    MemorySegment last = parts.getLast();
    long begin = offset(parts.getFirst());
    return Optional.of(buffer.asSlice(begin, offset(last) + last.byteSize() - begin));
  }

  /** Whether a tensor lies where the network keeps it. */
  boolean holds(TensorView tensor) {
    MemorySegment place = slices.get(tensor.name());
    return place != null && place.address() == tensor.data().address();
  }

  /** Where the network keeps a gradient. */
  MemorySegment place(String name) {
    return slices.get(name);
  }
}
