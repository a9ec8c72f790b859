package dev.tandem.checkpoint;

import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import java.util.Map;

/**
 * A rank's state, some of whose tensors may be parts of larger ones.
 *
 * @param tree this rank's tensors and values
 * @param slices for tensors that are parts: which; the others are whole
 */
public record SlicedState(StateTree tree, Map<String, Slice> slices) {

  public SlicedState {
    slices = Map.copyOf(slices);
    for (Map.Entry<String, Slice> entry : slices.entrySet()) {
      TensorView tensor = tree.tensors().get(entry.getKey());
      if (tensor == null) {
        throw new IllegalArgumentException("a slice of an unknown tensor " + entry.getKey());
      }
      if (!entry.getValue().block(tensor.shape()).isIn(entry.getValue().whole())) {
        throw new IllegalArgumentException(
            "tensor %s of shape %s at %s reaches out of %s"
                .formatted(
                    tensor.name(),
                    tensor.shape(),
                    entry.getValue().offset(),
                    entry.getValue().whole()));
      }
    }
  }

  /** A state of whole tensors. */
  public static SlicedState whole(StateTree tree) {
    return new SlicedState(tree, Map.of());
  }

  /** Where this tensor lies. */
  Slice slice(TensorView tensor) {
    Slice slice = slices.get(tensor.name());
    return slice != null ? slice : Slice.whole(tensor.shape());
  }
}
