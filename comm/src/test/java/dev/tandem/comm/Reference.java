package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/** Collectives as plain as can be: one element after the other, in rank order. */
final class Reference {

  private static final Seed SEED = new Seed(11);

  // All ranks of a test job ask for the same: made once, and never changed.
  private static final Map<List<Object>, byte[]> MADE = new ConcurrentHashMap<>();
  private static final Map<List<Object>, byte[]> RESULTS = new ConcurrentHashMap<>();

  private Reference() {}

  /** The data of a rank, always the same; the caller's to change. */
  static byte[] data(int rank, DType type, int count) {
    return made(rank, type, count).clone();
  }

  private static byte[] made(int rank, DType type, int count) {
    return MADE.computeIfAbsent(List.of(rank, type, count), key -> make(rank, type, count));
  }

  /** The reduction of the data of so many ranks of one host; not to be changed. */
  static byte[] reduced(int ranks, DType type, int count, ReduceOp op) {
    return reduced(Collections.nCopies(ranks, 0), type, count, op);
  }

  /** The reduction in rank order within each host and then host by host; not to be changed. */
  static byte[] reduced(List<Integer> hosts, DType type, int count, ReduceOp op) {
    return RESULTS.computeIfAbsent(
        List.of(hosts, type, count, op),
        key -> reduceHostByHost(hosts, inputs(hosts.size(), type, count), type, op));
  }

  private static List<byte[]> inputs(int ranks, DType type, int count) {
    List<byte[]> inputs = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      inputs.add(made(rank, type, count));
    }
    return inputs;
  }

  static byte[] reduceHostByHost(
      List<Integer> hosts, List<byte[]> inputs, DType type, ReduceOp op) {
    long different = hosts.stream().distinct().count();
    boolean grouped = different > 1 && different < hosts.size();
    if (!grouped || !floating(type) || !(op == ReduceOp.SUM || op == ReduceOp.AVERAGE)) {
      return reduce(inputs, type, op, inputs.size());
    }
    List<byte[]> partial = new ArrayList<>();
    for (int host : hosts.stream().distinct().toList()) {
      List<byte[]> members = new ArrayList<>();
      for (int rank = 0; rank < hosts.size(); rank++) {
        if (hosts.get(rank) == host) {
          members.add(inputs.get(rank));
        }
      }
      partial.add(reduce(members, type, ReduceOp.SUM, 1));
    }
    byte[] sum = reduce(partial, type, ReduceOp.SUM, 1);
    return op == ReduceOp.SUM ? sum : reduce(List.of(sum), type, op, hosts.size());
  }

  /** The reduction of so many shards along the canonical tree. */
  static byte[] elastic(int shards, DType type, int count, ReduceOp op) {
    return RESULTS.computeIfAbsent(
        List.of("elastic", shards, type, count, op),
        key -> {
          if (op != ReduceOp.AVERAGE) {
            return node(0, shards, type, count, op);
          }
          if (floating(type)) {
            byte[] sum = node(0, shards, type, count, ReduceOp.SUM);
            return reduce(List.of(sum), type, op, shards);
          }
          // Whole numbers: the order does not show.
          return reduce(inputs(shards, type, count), type, op, shards);
        });
  }

  private static byte[] node(int first, int end, DType type, int count, ReduceOp op) {
    if (end - first == 1) {
      return made(first, type, count);
    }
    int half = 1;
    while (half * 2 < end - first) {
      half *= 2;
    }
    byte[] left = node(first, first + half, type, count, op);
    byte[] right = node(first + half, end, type, count, op);
    return reduce(List.of(left, right), type, op, 2);
  }

  static boolean floating(DType type) {
    return switch (type) {
      case FLOAT32, FLOAT64, BFLOAT16, FLOAT16 -> true;
      case INT32, INT64, UINT8 -> false;
    };
  }

  /** Checks a result that may have been reduced in any order: right but for rounding. */
  static void assertRightButForRounding(
      byte[] actual, int ranks, DType type, int count, ReduceOp op, String what) {
    byte[] expected = reduced(ranks, type, count, op);
    if (!floating(type) || !(op == ReduceOp.SUM || op == ReduceOp.AVERAGE)) {
      assertArrayEquals(expected, actual, what);
      return;
    }
    double unit =
        switch (type) {
          case FLOAT64 -> 0x1p-52;
          case BFLOAT16 -> 0x1p-8;
          case FLOAT16 -> 0x1p-10;
          default -> 0x1p-23;
        };
    ByteBuffer[] inputs =
        inputs(ranks, type, count).stream().map(Reference::buffer).toArray(ByteBuffer[]::new);
    ByteBuffer wanted = buffer(expected);
    ByteBuffer got = buffer(actual);
    for (int at = 0; at < actual.length; at += type.bytes()) {
      double magnitude = 0;
      for (ByteBuffer input : inputs) {
        magnitude += Math.abs(toDouble(input, at, type));
      }
      double limit = (ranks + 1) * unit * magnitude;
      double difference = toDouble(wanted, at, type) - toDouble(got, at, type);
      if (!(Math.abs(difference) <= limit)) {
        fail("%s: off by %g at byte %d, more than %g".formatted(what, difference, at, limit));
      }
    }
  }

  private static double toDouble(ByteBuffer input, int at, DType type) {
    return type == DType.FLOAT64 ? input.getDouble(at) : toFloat(input, at, type);
  }

  /** Forgets what was made, for large data would fill the memory. */
  static void forget() {
    MADE.clear();
    RESULTS.clear();
  }

  private static byte[] make(int rank, DType type, int count) {
    return random(SEED.derive(rank).derive(count).random(), type, count);
  }

  /** So many random values, of many magnitudes. */
  static byte[] random(SplittableRandom random, DType type, int count) {
    byte[] bytes = new byte[count * type.bytes()];
    ByteBuffer data = buffer(bytes);
    for (int i = 0; i < count; i++) {
      switch (type) {
        case FLOAT32 -> data.putFloat(real(random));
        case FLOAT64 -> data.putDouble(random.nextDouble(-1e9, 1e9));
        case BFLOAT16 -> data.putShort((short) (Float.floatToRawIntBits(real(random)) >>> 16));
        case FLOAT16 -> data.putShort(Float.floatToFloat16(real(random)));
        case INT32 -> data.putInt(random.nextInt());
        case INT64 -> data.putLong(random.nextLong());
        case UINT8 -> data.put((byte) random.nextInt());
      }
    }
    return bytes;
  }

  private static float real(SplittableRandom random) {
    return (float) random.nextDouble(-1, 1) * (1 << random.nextInt(12));
  }

  private static ByteBuffer buffer(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static byte[] reduce(List<byte[]> inputs, DType type, ReduceOp op, int divisor) {
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
      reduceElement(buffers, at, type, op, divisor, target);
    }
    return result;
  }

  private static void reduceElement(
      ByteBuffer[] inputs, int at, DType type, ReduceOp op, int divisor, ByteBuffer target) {
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
        sum = op == ReduceOp.AVERAGE ? sum / divisor : sum;
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
        target.putDouble(at, op == ReduceOp.AVERAGE ? sum / divisor : sum);
      }
      case INT32 -> {
        int sum = inputs[0].getInt(at);
        for (int rank = 1; rank < ranks; rank++) {
          sum = (int) whole(op, sum, inputs[rank].getInt(at));
        }
        target.putInt(at, op == ReduceOp.AVERAGE ? sum / divisor : sum);
      }
      case INT64 -> {
        long sum = inputs[0].getLong(at);
        for (int rank = 1; rank < ranks; rank++) {
          sum = whole(op, sum, inputs[rank].getLong(at));
        }
        target.putLong(at, op == ReduceOp.AVERAGE ? sum / divisor : sum);
      }
      case UINT8 -> {
        long sum = Byte.toUnsignedLong(inputs[0].get(at));
        for (int rank = 1; rank < ranks; rank++) {
          sum = whole(op, sum, Byte.toUnsignedLong(inputs[rank].get(at)));
        }
        target.put(at, (byte) (op == ReduceOp.AVERAGE ? sum / divisor : sum));
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
