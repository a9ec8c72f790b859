package dev.tandem.nn;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import java.lang.foreign.MemorySegment;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** Between memory of ours and tensors of the engine, without copying. */
final class Torch {

  /** A pointer of the engine's bindings to memory that somebody else owns. */
  private static final class Borrowed extends Pointer {
    Borrowed(MemorySegment segment) {
      address = segment.address();
    }
  }

  private Torch() {}

  /** A tensor in this memory, which must outlive it. */
  static Tensor tensor(MemorySegment data, DType dtype, long... extents) {
    try (TensorOptions options = new TensorOptions(scalarType(dtype))) {
      return org.bytedeco.pytorch.global.torch.from_blob(new Borrowed(data), extents, options);
    }
  }

  /** A tensor in this memory with its elements this far apart in each dimension. */
  static Tensor strided(MemorySegment data, DType dtype, long[] extents, long[] strides) {
    try (TensorOptions options = new TensorOptions(scalarType(dtype))) {
      return org.bytedeco.pytorch.global.torch.from_blob(
          new Borrowed(data), extents, strides, options);
    }
  }

  static Tensor tensor(MemorySegment data, DType dtype, Shape shape) {
    return tensor(data, dtype, shape.toArray());
  }

  private static ScalarType scalarType(DType dtype) {
    return switch (dtype) {
      case FLOAT32 -> ScalarType.Float;
      case FLOAT64 -> ScalarType.Double;
      case BFLOAT16 -> ScalarType.BFloat16;
      case FLOAT16 -> ScalarType.Half;
      case INT32 -> ScalarType.Int;
      case INT64 -> ScalarType.Long;
      case UINT8 -> ScalarType.Byte;
    };
  }
}
