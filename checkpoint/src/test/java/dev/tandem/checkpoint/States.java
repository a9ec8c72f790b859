package dev.tandem.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** State trees for tests. */
final class States {

  private States() {}

  static TensorView tensor(String name, DType type, Shape shape, SplittableRandom random) {
    byte[] bytes = new byte[Math.toIntExact(shape.elements() * type.bytes())];
    random.nextBytes(bytes);
    return new TensorView(name, type, shape, MemorySegment.ofArray(bytes));
  }

  /** Tensors of all types, some without elements, and a scalar. */
  static StateTree random(Seed seed) {
    SplittableRandom random = seed.random();
    List<TensorView> tensors = new ArrayList<>();
    for (DType type : DType.values()) {
      tensors.add(tensor("layer/" + type, type, Shape.of(random.nextInt(9), 3), random));
    }
    tensors.add(tensor("scalar", DType.INT64, Shape.of(), random));
    return StateTree.of(tensors, Map.of("epoch", "3", "quote", "a \"b\" \u00e9"));
  }

  /** A tree like another, with zeros. */
  static StateTree zeroed(StateTree like) {
    return StateTree.of(
        like.tensors().values().stream()
            .map(
                t ->
                    new TensorView(
                        t.name(),
                        t.dtype(),
                        t.shape(),
                        MemorySegment.ofArray(new byte[(int) t.byteSize()])))
            .toList(),
        Map.of());
  }

  static void assertSame(StateTree expected, StateTree actual) {
    assertEquals(expected.tensors().keySet(), actual.tensors().keySet());
    expected
        .tensors()
        .forEach(
            (name, tensor) ->
                assertArrayEquals(
                    tensor.data().toArray(ValueLayout.JAVA_BYTE),
                    actual.tensors().get(name).data().toArray(ValueLayout.JAVA_BYTE),
                    name));
  }
}
