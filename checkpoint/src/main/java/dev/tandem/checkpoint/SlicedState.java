package dev.tandem.checkpoint;

import dev.tandem.core.Arrival;
import dev.tandem.core.Region;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A rank's state, some of whose tensors may be regions of larger ones. Ranks that save together
 * hold equal blocks of a tensor or blocks that have nothing in common.
 *
 * @param tree this rank's tensors and values
 * @param slices for tensors that are regions: which; the others are whole
 * @param arrival tells when the tensors have the state; who saves it says when it has read them
 */
public record SlicedState(StateTree tree, Map<String, Region> slices, Arrival arrival) {

  /**
   * A block that a rank holds.
   *
   * @param tensor where the rank's tensor would begin and reach if all of it lay as the block does
   */
  record HeldBlock(Block block, Block tensor) {

    /** Copies what another block has of it into the rank's tensor. */
    void copy(MemorySegment from, Block source, MemorySegment to, int elementBytes) {
      block.common(source).ifPresent(part -> part.copy(from, source, to, tensor, elementBytes));
    }
  }

  public SlicedState {
    slices = Map.copyOf(slices);
    for (Map.Entry<String, Region> entry : slices.entrySet()) {
      TensorView tensor = tree.tensors().get(entry.getKey());
      if (tensor == null) {
        throw new IllegalArgumentException("a slice of an unknown tensor " + entry.getKey());
      }
      if (!entry.getValue().local().equals(tensor.shape())) {
        throw new IllegalArgumentException(
            "tensor %s of shape %s is not %s"
                .formatted(tensor.name(), tensor.shape(), entry.getValue()));
      }
    }
  }

  /** A state that is there. */
  public SlicedState(StateTree tree, Map<String, Region> slices) {
    this(tree, slices, Arrival.HERE);
  }

  /** A state of whole tensors. */
  public static SlicedState whole(StateTree tree) {
    return new SlicedState(tree, Map.of());
  }

  /** The shape of the tensor that this one is a region of. */
  Shape wholeShape(TensorView tensor) {
    Region slice = slices.get(tensor.name());
    return slice == null ? tensor.shape() : slice.whole();
  }

  /** The blocks that a tensor of this state is made of. */
  List<HeldBlock> blocks(TensorView tensor) {
    Region slice = slices.get(tensor.name());
    List<Long> extents = tensor.shape().extents();
    if (slice == null || isOneBlock(slice)) {
      Block all = Block.whole(wholeShape(tensor).extents());
      return List.of(new HeldBlock(all, all));
    }
    List<HeldBlock> blocks = new ArrayList<>();
    for (Region.Piece piece : slice.pieces()) {
      List<Long> begin = new ArrayList<>();
      for (int d = 0; d < extents.size(); d++) {
        begin.add(piece.from().get(d) - piece.at().get(d));
      }
      blocks.add(
          new HeldBlock(new Block(piece.from(), piece.extents()), new Block(begin, extents)));
    }
    return blocks;
  }

  /** All of the tensor; or nothing of a tensor without elements, which must be known, too. */
  private static boolean isOneBlock(Region slice) {
    boolean empty = false;
    for (int d = 0; d < slice.dimensions().size(); d++) {
      empty |= slice.dimensions().get(d).whole() == 0;
    }
    return empty || slice.isAll();
  }

  /** The number of blocks that a region is made of. */
  static int blocks(Region slice) {
    if (isOneBlock(slice)) {
      return 1;
    }
    int blocks = 1;
    for (int d = 0; d < slice.dimensions().size(); d++) {
      blocks *= slice.dimensions().get(d).runs().size();
    }
    return blocks;
  }
}
