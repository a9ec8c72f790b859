package dev.tandem.parallel.shard;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.ParameterSpec;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Tensors one after the other, each at a multiple of 64 bytes. */
final class AlignedTensors {

  static final long ALIGNMENT = 64;

  private AlignedTensors() {}

  /** Tensors of these shapes, named as the parameters, from the beginning of the memory on. */
  static List<TensorView> views(
      MemorySegment memory, DType dtype, List<ParameterSpec> parameters, List<Shape> shapes) {
    List<TensorView> views = new ArrayList<>();
    long offset = 0;
    for (int i = 0; i < shapes.size(); i++) {
      Shape shape = shapes.get(i);
      MemorySegment data = memory.asSlice(offset, shape.elements() * dtype.bytes());
      views.add(new TensorView(parameters.get(i).name(), dtype, shape, data));
      offset += bytes(dtype, List.of(shape));
    }
    return views;
  }

  /** Bytes that tensors of these shapes take, with the gaps between them. */
  static long bytes(DType dtype, List<Shape> shapes) {
    return shapes.stream()
        .mapToLong(shape -> Math.ceilDiv(shape.elements() * dtype.bytes(), ALIGNMENT) * ALIGNMENT)
        .sum();
  }
}
