package dev.tandem.checkpoint;

import dev.tandem.core.DType;
import dev.tandem.core.Region;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A block that a rank holds of a tensor, as it informs the others.
 *
 * @param dtype its safetensors name
 * @param whole extents of the whole tensor
 */
record Holding(String name, String dtype, List<Long> whole, Block block) {

  static List<Holding> of(SlicedState state) {
    List<Holding> holdings = new ArrayList<>();
    for (TensorView tensor : state.tree().tensors().values()) {
      List<Long> whole = state.wholeShape(tensor).extents();
      for (SlicedState.HeldBlock held : state.blocks(tensor)) {
        holdings.add(new Holding(tensor.name(), tensor.dtype().code(), whole, held.block()));
      }
    }
    return holdings;
  }

  /**
   * Whether these are the holdings of a state; every save asks, so it makes hardly any object.
   *
   * @param slices of the state that the holdings are of
   */
  static boolean describe(List<Holding> holdings, Map<String, Region> slices, SlicedState state) {
    if (!slices.equals(state.slices())) {
      return false;
    }
    int i = 0;
    for (TensorView tensor : state.tree().tensors().values()) {
      Region slice = slices.get(tensor.name());
      int blocks = slice == null ? 1 : SlicedState.blocks(slice);
      if (i + blocks > holdings.size()) {
        return false;
      }
      for (int end = i + blocks; i < end; i++) {
        Holding holding = holdings.get(i);
        if (!holding.name.equals(tensor.name())
            || !holding.dtype.equals(tensor.dtype().code())
            || (slice == null && !holding.whole.equals(tensor.shape().extents()))) {
          return false;
        }
      }
    }
    return i == holdings.size();
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
