package dev.tandem.nn.onnx;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.nn.weights.Elements;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Makes constants and reads them, in memory of the garbage collector's. */
final class Tensors {

  private static final long ALIGNMENT = 64;

  private Tensors() {}

  static TensorView integers(String name, List<Long> values) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Long.BYTES * values.size()).order(ByteOrder.LITTLE_ENDIAN);
    values.forEach(bytes::putLong);
    return new TensorView(
        name, DType.INT64, Shape.of(values.size()), MemorySegment.ofArray(bytes.array()));
  }

  static TensorView number(String name, double value) {
    return filled(name, Shape.of(), value);
  }

  static TensorView filled(String name, Shape shape, double value) {
    TensorView tensor = empty(name, shape);
    for (long i = 0; i < shape.elements(); i++) {
      Elements.set(tensor, i, value);
    }
    return tensor;
  }

  /** The same tensor in FLOAT32: a copy only where it must be. */
  static TensorView asFloat(TensorView tensor) {
    if (tensor.dtype() == DType.FLOAT32) {
      return tensor;
    }
    TensorView copy = empty(tensor.name(), tensor.shape());
    Elements.copy(tensor, copy);
    return copy;
  }

  /** A matrix with rows and columns exchanged. */
  static TensorView transposed(TensorView matrix) {
    long rows = matrix.shape().extents().get(0);
    long columns = matrix.shape().extents().get(1);
    TensorView result = empty(matrix.name(), Shape.of(columns, rows));
    for (long row = 0; row < rows; row++) {
      for (long column = 0; column < columns; column++) {
        Elements.set(result, column * rows + row, Elements.number(matrix, row * columns + column));
      }
    }
    return result;
  }

  /** The same elements in another shape. */
  static TensorView reshaped(TensorView tensor, Shape shape) {
    return new TensorView(tensor.name(), tensor.dtype(), shape, tensor.data());
  }

  static TensorView named(TensorView tensor, String name) {
    return new TensorView(name, tensor.dtype(), tensor.shape(), tensor.data());
  }

  /** The elements of an integer tensor of few. */
  static List<Long> integers(TensorView tensor) {
    if ((tensor.dtype() != DType.INT64 && tensor.dtype() != DType.INT32)
        || tensor.shape().elements() > 64) {
      throw new UsageException("tensor %s is not a list of integers".formatted(tensor.name()));
    }
    List<Long> values = new ArrayList<>();
    for (long i = 0; i < tensor.shape().elements(); i++) {
      values.add((long) Elements.number(tensor, i));
    }
    return values;
  }

  /** A tensor of zeros to be filled. */
  static TensorView empty(String name, Shape shape) {
    MemorySegment data =
        Arena.ofAuto().allocate(shape.elements() * DType.FLOAT32.bytes(), ALIGNMENT);
    return new TensorView(name, DType.FLOAT32, shape, data);
  }
}
