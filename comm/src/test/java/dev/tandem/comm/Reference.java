package dev.tandem.comm;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/** Collectives as plain as can be: one element after the other, in rank order. */
final class Reference {

  private static final Seed SEED = new Seed(11);

  // All ranks of a test job ask for the same: made once, and never changed.
  private static final Map<List<Object>, byte[]> MADE = new ConcurrentHashMap<>();

  private Reference() {}

  /** The data of a rank, always the same; the caller's to change. */
  static byte[] data(int rank, DType type, int count) {
    return made(rank, type, count).clone();
  }

  private static byte[] made(int rank, DType type, int count) {
    return MADE.computeIfAbsent(List.of(rank, type, count), key -> make(rank, type, count));
  }

  /** The reduction of the data of so many ranks; not to be changed. */
  static byte[] reduced(int ranks, DType type, int count, ReduceOp op) {
    List<Object> key = List.of(ranks, type, count, op);
    byte[] known = MADE.get(key);
    if (known == null) {
      List<byte[]> inputs = new ArrayList<>();
      for (int rank = 0; rank < ranks; rank++) {
        inputs.add(made(rank, type, count));
      }
      known = reduce(inputs, type, op);
      MADE.put(key, known);
    }
    return known;
  }

  /** Forgets what was made, for large data would fill the memory. */
  static void forget() {
    MADE.clear();
  }

  private static byte[] make(int rank, DType type, int count) {
    SplittableRandom random = SEED.derive(rank).derive(count).random();
    byte[] bytes = new byte[count * type.bytes()];
    ByteBuffer data = buffer(bytes);
    for (int i = 0; i < count; i++) {
      float value = (float) random.nextDouble(-1, 1) * (1 << random.nextInt(12));
      switch (type) {
        case FLOAT32 -> data.putFloat(value);
        case FLOAT64 -> data.putDouble(random.nextDouble(-1e9, 1e9));
        case BFLOAT16 -> data.putShort((short) (Float.floatToRawIntBits(value) >>> 16));
        case FLOAT16 -> data.putShort(Float.floatToFloat16(value));
        case INT32 -> data.putInt(random.nextInt());
        case INT64 -> data.putLong(random.nextLong());
        case UINT8 -> data.put((byte) random.nextInt());
      }
    }
    return bytes;
  }

  private static ByteBuffer buffer(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static byte[] reduce(List<byte[]> inputs, DType type, ReduceOp op) {
    byte[] result = inputs.getFirst().clone();
    if (op == ReduceOp.BIT_AND || op == ReduceOp.BIT_OR) {
      for (byte[] input : inputs) {
        for (int i = 0; i < result.length; i++) {
          result[i] = (byte) (op == ReduceOp.BIT_AND ? result[i] & input[i] : result[i] | input[i]);
        }
      }
      return result;
    }
    ByteBuffer[] buffers = inputs.stream().map(Reference::buffer).toArray(ByteBuffer[]::new);
    ByteBuffer target = buffer(result);
    for (int at = 0; at < result.length; at += type.bytes()) {
      reduceElement(buffers, at, type, op, target);
    }
    return result;
  }

  private static void reduceElement(
      ByteBuffer[] inputs, int at, DType type, ReduceOp op, ByteBuffer target) {
    int ranks = inputs.length;
    switch (type) {
      case FLOAT32, BFLOAT16, FLOAT16 -> {
        float sum = toFloat(inputs[0], at, type);
        for (int rank = 1; rank < ranks; rank++) {
          float next = toFloat(inputs[rank], at, type);
          sum =
              switch (op) {
                case MIN -> Math.min(sum, next);
                case MAX -> Math.max(sum, next);
                default -> sum + next;
              };
        }
        sum = op == ReduceOp.AVERAGE ? sum / ranks : sum;
        switch (type) {
          case BFLOAT16 -> target.putShort(at, nearestBfloat16(sum));
          case FLOAT16 -> target.putShort(at, Float.floatToFloat16(sum));
          default -> target.putFloat(at, sum);
        }
      }
      case FLOAT64 -> {
        double sum = inputs[0].getDouble(at);
        for (int rank = 1; rank < ranks; rank++) {
          double next = inputs[rank].getDouble(at);
          sum =
              switch (op) {
                case MIN -> Math.min(sum, next);
                case MAX -> Math.max(sum, next);
                default -> sum + next;
              };
        }
        target.putDouble(at, op == ReduceOp.AVERAGE ? sum / ranks : sum);
      }
      case INT32 -> {
        int sum = inputs[0].getInt(at);
        for (int rank = 1; rank < ranks; rank++) {
          sum = (int) whole(op, sum, inputs[rank].getInt(at));
        }
        target.putInt(at, op == ReduceOp.AVERAGE ? sum / ranks : sum);
      }
      case INT64 -> {
        long sum = inputs[0].getLong(at);
        for (int rank = 1; rank < ranks; rank++) {
          sum = whole(op, sum, inputs[rank].getLong(at));
        }
        target.putLong(at, op == ReduceOp.AVERAGE ? sum / ranks : sum);
      }
      case UINT8 -> {
        long sum = Byte.toUnsignedLong(inputs[0].get(at));
        for (int rank = 1; rank < ranks; rank++) {
          sum = whole(op, sum, Byte.toUnsignedLong(inputs[rank].get(at)));
        }
        target.put(at, (byte) (op == ReduceOp.AVERAGE ? sum / ranks : sum));
      }
    }
  }

  private static long whole(ReduceOp op, long sum, long next) {
    return switch (op) {
      case MIN -> Math.min(sum, next);
      case MAX -> Math.max(sum, next);
      default -> sum + next;
    };
  }

  private static float toFloat(ByteBuffer input, int at, DType type) {
    return switch (type) {
      case BFLOAT16 -> Float.intBitsToFloat(input.getShort(at) << 16);
      case FLOAT16 -> Float.float16ToFloat(input.getShort(at));
      default -> input.getFloat(at);
    };
  }

  /** The nearer of the two neighbours; if both are as near, the even one. */
  private static short nearestBfloat16(float value) {
    int below = Float.floatToRawIntBits(value) & 0xffff0000;
    int above = below + 0x10000;
    double down = Math.abs((double) value - Float.intBitsToFloat(below));
    double up = Math.abs((double) Float.intBitsToFloat(above) - value);
    boolean lower = down < up || (down == up && (below & 0x10000) == 0);
    return (short) ((lower ? below : above) >>> 16);
  }
}
