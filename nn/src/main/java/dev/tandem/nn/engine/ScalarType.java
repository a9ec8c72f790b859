package dev.tandem.nn.engine;

import dev.tandem.core.DType;

/** The type of a tensor's elements, with libtorch's number for it. */
public enum ScalarType {
  BYTE(0, 1),
  SHORT(2, 2),
  INT(3, 4),
  LONG(4, 8),
  HALF(5, 2),
  FLOAT(6, 4),
  DOUBLE(7, 8),
  BOOL(11, 1),
  BFLOAT16(15, 2);

  private final int code;
  private final int bytes;

  ScalarType(int code, int bytes) {
    this.code = code;
    this.bytes = bytes;
  }

  /** The engine's type for one of ours. */
  public static ScalarType of(DType dtype) {
    return switch (dtype) {
      case FLOAT32 -> FLOAT;
      case FLOAT64 -> DOUBLE;
      case BFLOAT16 -> BFLOAT16;
      case FLOAT16 -> HALF;
      case INT32 -> INT;
      case INT64 -> LONG;
      case UINT8 -> BYTE;
    };
  }

  static ScalarType ofCode(int code) {
    for (ScalarType type : values()) {
      if (type.code == code) {
        return type;
      }
    }
    throw new IllegalStateException("the engine's element type " + code + " is not supported");
  }

  int code() {
    return code;
  }

  public int bytes() {
    return bytes;
  }
}
