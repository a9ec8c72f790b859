package dev.tandem.nn.internal;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.bytedeco.javacpp.BoolPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.MemoryFormatOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** Between memory of ours and tensors of the engine, without copying; and other small helpers. */
public final class Torch {

  /** A pointer of the engine's bindings to memory that somebody else owns. */
  private static final class Borrowed extends Pointer {
    Borrowed(MemorySegment segment) {
      address = segment.address();
    }
  }

  private Torch() {}

  /** A tensor in this memory, which must outlive it. */
  public static Tensor tensor(MemorySegment data, DType dtype, long... extents) {
    try (TensorOptions options = new TensorOptions(scalarType(dtype))) {
      return org.bytedeco.pytorch.global.torch.from_blob(new Borrowed(data), extents, options);
    }
  }

  /** A tensor in this memory with its elements this far apart in each dimension. */
  public static Tensor strided(MemorySegment data, DType dtype, long[] extents, long[] strides) {
    try (TensorOptions options = new TensorOptions(scalarType(dtype))) {
      return org.bytedeco.pytorch.global.torch.from_blob(
          new Borrowed(data), extents, strides, options);
    }
  }

  public static Tensor tensor(MemorySegment data, DType dtype, Shape shape) {
    return tensor(data, dtype, shape.toArray());
  }

  /** The memory of a contiguous tensor, which must outlive it. */
  @SuppressWarnings("restricted") // the size is the engine's own
  public static MemorySegment memory(Tensor tensor) {
    return MemorySegment.ofAddress(tensor.data_ptr().address()).reinterpret(tensor.nbytes());
  }

  /** A tensor of its own instead of a borrowed element of a tuple or vector. */
  static Tensor own(Tensor borrowed) {
    return new Tensor(borrowed);
  }

  /** The order in memory that the engine is fastest with: channels last for images, volumes. */
  public static Tensor fast(Tensor tensor) {
    return switch ((int) tensor.dim()) {
      case 4 -> tensor.contiguous(MemoryFormat.ChannelsLast);
      case 5 -> tensor.contiguous(MemoryFormat.ChannelsLast3d);
      default -> tensor.contiguous();
    };
  }

  /** The same numbers in this type and in the order in memory that the engine is fastest with. */
  public static Tensor fast(Tensor tensor, ScalarType type) {
    if (type(tensor) == type) {
      return fast(tensor);
    }
    return switch ((int) tensor.dim()) {
      case 4 -> convert(tensor, type, MemoryFormat.ChannelsLast);
      case 5 -> convert(tensor, type, MemoryFormat.ChannelsLast3d);
      default -> tensor.to(type).contiguous();
    };
  }

  private static Tensor convert(Tensor tensor, ScalarType type, MemoryFormat format) {
    return tensor.to(type, false, false, new MemoryFormatOptional(format));
  }

  static BoolPointer mask(boolean first, boolean second, boolean third) {
    return new BoolPointer(3).put(0, first).put(1, second).put(2, third);
  }

  static long[] longs(List<Integer> values) {
    return values.stream().mapToLong(Integer::longValue).toArray();
  }

  /** The numbers of the dimensions of space, and of the batch with it, but not of channels. */
  static long[] allButChannels(Tensor tensor) {
    int dimensions = (int) tensor.dim();
    long[] result = new long[dimensions - 1];
    for (int i = 1; i < result.length; i++) {
      result[i] = i + 1L;
    }
    return result;
  }

  /** One number for each channel, shaped so that it meets a whole batch. */
  static Tensor perChannel(Tensor values, Tensor like) {
    long[] extents = new long[(int) like.dim()];
    Arrays.fill(extents, 1);
    extents[1] = values.numel();
    return values.reshape(extents);
  }

  /** The type of a tensor's elements, as a constant that can be compared. */
  static ScalarType type(Tensor tensor) {
    return tensor.scalar_type().intern();
  }

  public static ScalarType scalarType(DType dtype) {
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
