package dev.tandem.core;

/** The type of one element of a tensor, little-endian in memory and in files. */
public enum DType {
  FLOAT32(4, "F32"),
  FLOAT64(8, "F64"),
  BFLOAT16(2, "BF16"),
  FLOAT16(2, "F16"),
  INT32(4, "I32"),
  INT64(8, "I64"),
  UINT8(1, "U8");

  private final int bytes;
  private final String code;

  DType(int bytes, String code) {
    this.bytes = bytes;
    this.code = code;
  }

  /** Bytes of one element. */
  public int bytes() {
    return bytes;
  }

  /** The name that safetensors files use. */
  public String code() {
    return code;
  }

  /** The type with this safetensors name. */
  public static DType ofCode(String code) {
    for (DType type : values()) {
      if (type.code.equals(code)) {
        return type;
      }
    }
    throw new IllegalArgumentException("unknown element type '" + code + "'");
  }
}
