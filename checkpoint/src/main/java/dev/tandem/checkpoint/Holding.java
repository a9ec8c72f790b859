package dev.tandem.checkpoint;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import java.util.List;

/**
 * What a rank holds of a tensor, as it informs the others.
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

  /** Whether these are the holdings of a state; every save asks, so it makes no objects. */
  static boolean describe(List<Holding> holdings, SlicedState state) {
    if (holdings.size() != state.tree().tensors().size()) {
      return false;
    }
    int i = 0;
    for (TensorView tensor : state.tree().tensors().values()) {
      Holding holding = holdings.get(i++);
      Slice slice = state.slices().get(tensor.name());
      if (!holding.name.equals(tensor.name())
          || !holding.dtype.equals(tensor.dtype().code())
          || !holding.block.shape().equals(tensor.shape().extents())
          || !(slice == null ? holding.isWhole() : holding.isAt(slice))) {
        return false;
      }
    }
    return true;
  }

  private boolean isWhole() {
    return whole.equals(block.shape());
  }

  private boolean isAt(Slice slice) {
    return whole.equals(slice.whole().extents()) && block.offset().equals(slice.offset());
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
