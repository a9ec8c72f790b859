package dev.tandem.nn.onnx;

import dev.tandem.core.DType;
import dev.tandem.core.UsageException;

/** ONNX's numbers for types of elements. */
final class ElementTypes {

  static final long FLOAT = 1;
  static final long FLOAT16 = 10;
  static final long BFLOAT16 = 16;

  private ElementTypes() {}

  static DType dtype(String tensor, long number) {
    return switch ((int) number) {
      case 1 -> DType.FLOAT32;
      // Truth values are bytes of 0 and 1.
      case 2, 9 -> DType.UINT8;
      case 6 -> DType.INT32;
      case 7 -> DType.INT64;
      case 10 -> DType.FLOAT16;
      case 11 -> DType.FLOAT64;
      case 16 -> DType.BFLOAT16;
      default ->
          throw new UsageException(
              "tensor %s has unsupported ONNX element type %d".formatted(tensor, number));
    };
  }

  static long number(DType dtype) {
    return switch (dtype) {
      case FLOAT32 -> FLOAT;
      case UINT8 -> 2;
      case INT32 -> 6;
      case INT64 -> 7;
      case FLOAT16 -> FLOAT16;
      case FLOAT64 -> 11;
      case BFLOAT16 -> BFLOAT16;
    };
  }
}
