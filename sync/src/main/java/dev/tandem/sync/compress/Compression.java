package dev.tandem.sync.compress;

import dev.tandem.core.DType;
import dev.tandem.core.UsageException;

/**
 * How a float32 tensor is written when it travels to be summed. Immutable; two are equal if they
 * write the same bytes.
 */
public sealed interface Compression {

  /** As it is. */
  record None() implements Compression {}

  /**
   * Rounded to 16 bits, to the nearest, ties to even; sums are rounded likewise.
   *
   * @param dtype one of the two formats: bfloat16 keeps the range of float32, float16 three bits
   *     more of each number, but nothing above 65,504
   */
  record Half(DType dtype) implements Compression {

    public Half {
      if (dtype != DType.BFLOAT16 && dtype != DType.FLOAT16) {
        throw new IllegalArgumentException(dtype + " is not a 16-bit float");
      }
    }
  }

  /**
   * The largest elements and their places; what is left behind is added to the next gradient.
   *
   * @param share of the elements that travel, above 0 and up to 1; at least one travels
   */
  record TopK(double share) implements Compression {

    public TopK {
      if (!(share > 0 && share <= 1)) {
        throw new UsageException(
            "the share of top-k must be above 0 and at most 1, not %s".formatted(share));
      }
    }

    /** How many of these elements travel. */
    public int chosen(long elements) {
      return Math.toIntExact(Math.min(elements, (long) Math.ceil(share * elements)));
    }
  }

  /**
   * One bit for each element, its sign, and for each {@link #BLOCK} of them the mean of those above
   * and of those below zero, which stand for them; the difference is added to the next gradient.
   */
  record OneBit() implements Compression {

    /** The number of elements that share their two means. */
    public static final int BLOCK = 1024;
  }

  /** Top-k without a share of its own. */
  double USUAL_SHARE = 0.01;

  /** What all codes begin with that have a share. */
  String TOP_K = "top-k";

  /** As it is. */
  static Compression none() {
    return new None();
  }

  /** The compression of this name: what {@link #code} writes; {@code top-k} sends 1%. */
  static Compression of(String code) {
    return switch (code) {
      case "none" -> none();
      case "bfloat16" -> new Half(DType.BFLOAT16);
      case "float16" -> new Half(DType.FLOAT16);
      case TOP_K -> new TopK(USUAL_SHARE);
      case "one-bit" -> new OneBit();
      default -> {
        if (code.startsWith(TOP_K + ":")) {
          yield new TopK(share(code));
        }
        throw unknown(code);
      }
    };
  }

  private static double share(String code) {
    try {
      return Double.parseDouble(code.substring(TOP_K.length() + 1));
    } catch (NumberFormatException e) {
      throw unknown(code);
    }
  }

  private static UsageException unknown(String code) {
    return new UsageException(
        "compression must be none, bfloat16, float16, top-k, top-k:SHARE or one-bit, not '%s'"
            .formatted(code));
  }

  /** Whether the tensor itself travels. */
  default boolean isNone() {
    return this instanceof None;
  }

  /** How it is written. */
  default String code() {
    return switch (this) {
      case None() -> "none";
      case Half(DType dtype) -> dtype == DType.BFLOAT16 ? "bfloat16" : "float16";
      case TopK(double share) -> TOP_K + ":" + share;
      case OneBit() -> "one-bit";
    };
  }

  /** Whether what one transfer leaves out is added to the next. */
  default boolean hasFeedback() {
    return switch (this) {
      case None none -> false;
      case Half half -> false;
      case TopK topK -> true;
      case OneBit oneBit -> true;
    };
  }

  /** Bytes that one rank gives for these elements. */
  default long payloadBytes(long elements) {
    return switch (this) {
      case None() -> elements * Float.BYTES;
      case Half(DType dtype) -> elements * dtype.bytes();
      case TopK topK -> (long) topK.chosen(elements) * (Integer.BYTES + Float.BYTES);
      case OneBit() ->
          Math.ceilDiv(elements, OneBit.BLOCK) * 2 * Float.BYTES
              + Math.ceilDiv(elements, Long.SIZE) * Long.BYTES;
    };
  }
}
