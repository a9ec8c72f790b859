package dev.tandem.nn.internal;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.engine.MemoryFormat;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.engine.Windows;
import dev.tandem.nn.spec.Window;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Between memory of ours and tensors of the engine, without copying; and other small helpers. */
public final class Torch {

  private Torch() {}

  /** A tensor in this memory, which must outlive it. */
  public static Tensor tensor(MemorySegment data, DType dtype, long... extents) {
    return Tensor.of(data, ScalarType.of(dtype), extents);
  }

  public static Tensor tensor(MemorySegment data, DType dtype, Shape shape) {
    return tensor(data, dtype, shape.toArray());
  }

  /** The order in memory that the engine is fastest with: channels last for images, volumes. */
  public static Tensor fast(Tensor tensor) {
    return tensor.contiguous(fastFormat(tensor.dim()));
  }

  /** Whether {@link #fast} puts a parameter of this shape into another order. */
  static boolean reorders(Shape shape) {
    return fastFormat(shape.extents().size()) != MemoryFormat.CONTIGUOUS;
  }

  /** How far apart elements are in the order of {@link #fast}. */
  static long[] fastStrides(long... extents) {
    if (fastFormat(extents.length) == MemoryFormat.CONTIGUOUS) {
      return rowMajorStrides(extents);
    }
    long[] strides = new long[extents.length];
    strides[1] = 1;
    long stride = extents[1];
    for (int i = extents.length - 1; i >= 2; i--) {
      strides[i] = stride;
      stride *= extents[i];
    }
    strides[0] = stride;
    return strides;
  }

  static long[] rowMajorStrides(long... extents) {
    long[] strides = new long[extents.length];
    long stride = 1;
    for (int i = extents.length - 1; i >= 0; i--) {
      strides[i] = stride;
      stride *= extents[i];
    }
    return strides;
  }

  /** Lets others change the numbers of a tensor in memory of the host, wherever it is. */
  static void throughHost(Tensor tensor, Consumer<MemorySegment> work) {
    Tensor there = tensor.onHost();
    work.accept(there.memory());
    if (there != tensor) {
      tensor.copy_(there);
    }
  }

  private static MemoryFormat fastFormat(int dimensions) {
    return switch (dimensions) {
      case 4 -> MemoryFormat.CHANNELS_LAST;
      case 5 -> MemoryFormat.CHANNELS_LAST_3D;
      default -> MemoryFormat.CONTIGUOUS;
    };
  }

  /** Memory as it comes, in the order that the engine is fastest with. */
  static Tensor fastEmpty(ScalarType type, long... extents) {
    return Tensor.empty(type, fastFormat(extents.length), extents);
  }

  /** A tensor in this memory, which must outlive it, in the order of {@link #fast}. */
  static Tensor fastIn(MemorySegment memory, ScalarType type, long... extents) {
    return Tensor.strided(memory, type, extents, fastStrides(extents));
  }

  /** The same numbers in this type and in the order in memory that the engine is fastest with. */
  public static Tensor fast(Tensor tensor, ScalarType type) {
    if (tensor.type() == type) {
      return fast(tensor);
    }
    return switch (tensor.dim()) {
      case 4 -> tensor.to(type, MemoryFormat.CHANNELS_LAST);
      case 5 -> tensor.to(type, MemoryFormat.CHANNELS_LAST_3D);
      default -> tensor.to(type).contiguous();
    };
  }

  /** Losses are computed in float32 at least. */
  public static Tensor exact(Tensor outputs) {
    return outputs.type() == ScalarType.BFLOAT16 ? outputs.to(ScalarType.FLOAT) : outputs;
  }

  /** A window over all dimensions of space as the engine takes it. */
  static Windows windows(Window window) {
    return new Windows(
        longs(window.kernel()),
        longs(window.stride()),
        longs(window.padding()),
        longs(window.dilation()));
  }

  private static long[] longs(List<Integer> values) {
    return values.stream().mapToLong(Integer::longValue).toArray();
  }

  /** The numbers of the dimensions of space, and of the batch with it, but not of channels. */
  static long[] allButChannels(Tensor tensor) {
    int dimensions = tensor.dim();
    long[] result = new long[dimensions - 1];
    for (int i = 1; i < result.length; i++) {
      result[i] = i + 1L;
    }
    return result;
  }

  /** One number for each channel, shaped so that it meets a whole batch. */
  static Tensor perChannel(Tensor values, Tensor like) {
    long[] extents = new long[like.dim()];
    Arrays.fill(extents, 1);
    extents[1] = values.numel();
    return values.reshape(extents);
  }
}
