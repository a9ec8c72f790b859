package dev.tandem.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TensorViewTest {

  private static TensorView floats(String name, long... extents) {
    Shape shape = Shape.of(extents);
    return new TensorView(
        name, DType.FLOAT32, shape, MemorySegment.ofArray(new float[(int) shape.elements()]));
  }

  @Test
  void sizeMustFitTheShape() {
    MemorySegment twelveBytes = MemorySegment.ofArray(new float[3]);
    var e =
        assertThrows(
            IllegalArgumentException.class,
            () -> new TensorView("w", DType.FLOAT32, Shape.of(2, 2), twelveBytes));
    assertEquals("tensor w of FLOAT32 [2, 2] needs 16 bytes, not 12", e.getMessage());
  }

  @Test
  void aScalarHasOneElement() {
    assertEquals(1, Shape.of().elements());
    assertThrows(IllegalArgumentException.class, () -> Shape.of(2, -1));
  }

  @Test
  void treeIsSortedAndRefusesTwins() {
    StateTree tree = StateTree.of(List.of(floats("b", 2), floats("a", 3)), Map.of("step", "5"));
    assertEquals(List.of("a", "b"), List.copyOf(tree.tensors().keySet()));
    assertEquals(20, tree.byteSize());
    assertThrows(
        IllegalArgumentException.class,
        () -> StateTree.of(List.of(floats("a", 1), floats("a", 2)), Map.of()));
  }
}
