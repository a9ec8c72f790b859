package dev.tandem.nn.weights;

import dev.tandem.core.DType;
import dev.tandem.core.Region;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The elements of tensors, whatever their type, without the engine. */
public final class Elements {

  // Tensors in files need not begin at multiples of their elements' size.
  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfDouble DOUBLE =
      ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Elements() {}

  /** One element, by its place in memory. */
  public static double number(TensorView tensor, long place) {
    MemorySegment data = tensor.data();
    return switch (tensor.dtype()) {
      case FLOAT32 -> data.getAtIndex(FLOAT, place);
      case FLOAT64 -> data.getAtIndex(DOUBLE, place);
      case FLOAT16 -> Float.float16ToFloat(data.getAtIndex(SHORT, place));
      case BFLOAT16 -> Float.intBitsToFloat(data.getAtIndex(SHORT, place) << 16);
      case INT32 -> data.getAtIndex(INT, place);
      case INT64 -> (double) data.getAtIndex(LONG, place);
      case UINT8 -> data.get(ValueLayout.JAVA_BYTE, place) & 0xFF;
    };
  }

  /** Sets one element of a FLOAT32 or FLOAT64 tensor. */
  public static void set(TensorView tensor, long place, double value) {
    if (tensor.dtype() == DType.FLOAT64) {
      tensor.data().setAtIndex(DOUBLE, place, value);
    } else if (tensor.dtype() == DType.FLOAT32) {
      tensor.data().setAtIndex(FLOAT, place, (float) value);
    } else {
      throw new UsageException(
          "tensor %s is %s, not FLOAT32 or FLOAT64".formatted(tensor.name(), tensor.dtype()));
    }
  }

  /** Copies all elements to a tensor of as many, converted to its type. */
  public static void copy(TensorView from, TensorView to) {
    copy(from, Region.all(to.shape()), to);
  }

  /**
   * Copies the elements of a region to a tensor that has that region, converted to its type.
   *
   * @param whole the tensor that the region is a part of
   */
  public static void copy(TensorView whole, Region region, TensorView to) {
    int bytes = to.dtype().bytes();
    region.forEachRun(
        (from, at, length) -> {
          if (whole.dtype() == to.dtype()) {
            MemorySegment.copy(whole.data(), from * bytes, to.data(), at * bytes, length * bytes);
            return;
          }
          for (long i = 0; i < length; i++) {
            set(to, at + i, number(whole, from + i));
          }
        });
  }
}
