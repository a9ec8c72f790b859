package dev.tandem.core;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * All that a run must keep to go on as if it had never stopped: tensors by dotted name (sorted) and
 * small values (step, epoch, seed) as text.
 *
 * <p>The tensors are views into live memory: a caller that wants a snapshot copies.
 */
public record StateTree(SequencedMap<String, TensorView> tensors, Map<String, String> values) {

  public StateTree {
    tensors = Collections.unmodifiableSequencedMap(new TreeMap<>(tensors));
    values = Map.copyOf(values);
  }

  /** A tree of these tensors, whose names must differ. */
  public static StateTree of(List<TensorView> tensors, Map<String, String> values) {
    TreeMap<String, TensorView> byName = new TreeMap<>();
    for (TensorView tensor : tensors) {
      if (byName.put(tensor.name(), tensor) != null) {
        throw new IllegalArgumentException("two tensors are named " + tensor.name());
      }
    }
    return new StateTree(byName, values);
  }

  /** Bytes of all tensors. */
  public long byteSize() {
    return tensors.values().stream().mapToLong(TensorView::byteSize).sum();
  }
}
