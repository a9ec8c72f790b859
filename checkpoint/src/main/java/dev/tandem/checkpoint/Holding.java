package dev.tandem.checkpoint;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import java.util.List;

/**
 * What a rank holds of a tensor, as it tells the others.
 *
 * @param dtype its safetensors name
 * @param whole extents of the whole tensor
 */
record Holding(String name, String dtype, List<Long> whole, Block block) {

  static List<Holding> of(SlicedState state) {
    return state.tree().tensors().values().stream().map(t -> of(t, state.slice(t))).toList();
  }

  private static Holding of(TensorView tensor, Slice slice) {
    return new Holding(
        tensor.name(), tensor.dtype().code(), slice.whole().extents(), slice.block(tensor.shape()));
  }

  DType type() {
    return DType.ofCode(dtype);
  }

  Shape wholeShape() {
    return new Shape(whole);
  }

  long bytes() {
    return block.elements() * type().bytes();
  }
}
