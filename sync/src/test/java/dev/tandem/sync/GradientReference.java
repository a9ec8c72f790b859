package dev.tandem.sync;

import dev.tandem.core.DType;
import dev.tandem.sync.compress.Compression;
import dev.tandem.sync.request.GradientRule;
import dev.tandem.sync.request.Operation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What becomes of gradients, computed in the plainest way: all ranks in one place, one tensor after
 * the other, with what each rank left behind. For one thread.
 */
public final class GradientReference {

  private static final int BLOCK = Compression.OneBit.BLOCK;

  private final GradientRule rule;
  // By tensor and rank.
  private final Map<String, float[]> residuals = new HashMap<>();

  public GradientReference(GradientRule rule) {
    this.rule = rule;
  }

  /**
   * What all ranks get.
   *
   * @param weighted by rank; null for one that has joined
   */
  public float[] result(String name, List<float[]> weighted, int length) {
    if (rule.reduction() == Operation.ADASUM) {
      return adasum(weighted.stream().map(v -> v == null ? new float[length] : v).toList());
    }
    Compression compression = rule.compression().of(name, DType.FLOAT32, length);
    float[] sum = new float[length];
    for (int rank = 0; rank < weighted.size(); rank++) {
      if (weighted.get(rank) != null) {
        float[] read = read(compression, name + " of " + rank, weighted.get(rank));
        for (int i = 0; i < length; i++) {
          sum[i] = rank == 0 ? read[i] : sum[i] + read[i];
        }
      }
    }
    if (compression instanceof Compression.Half half) {
      for (int i = 0; i < length; i++) {
        sum[i] = rounded(sum[i], half.dtype());
      }
    }
    return sum;
  }

  /** What was left behind. */
  public float[] residual(String name, int rank) {
    return residuals.get(name + " of " + rank);
  }

  /** What the others read of a rank's values. */
  private float[] read(Compression compression, String key, float[] values) {
    return switch (compression) {
      case Compression.None none -> values;
      case Compression.Half half -> {
        float[] read = new float[values.length];
        for (int i = 0; i < read.length; i++) {
          read[i] = rounded(values[i], half.dtype());
        }
        yield read;
      }
      case Compression.TopK topK -> withFeedback(key, values, sum -> largest(sum, topK));
      case Compression.OneBit oneBit -> withFeedback(key, values, GradientReference::signs);
    };
  }

  private interface Lossy {
    float[] read(float[] values);
  }

  private float[] withFeedback(String key, float[] values, Lossy lossy) {
    float[] last = residuals.get(key);
    float[] sum = values.clone();
    for (int i = 0; last != null && last.length == sum.length && i < sum.length; i++) {
      sum[i] += last[i];
    }
    float[] read = lossy.read(sum);
    float[] left = new float[sum.length];
    for (int i = 0; i < sum.length; i++) {
      left[i] = sum[i] - read[i];
    }
    residuals.put(key, left);
    return read;
  }

  private static float[] largest(float[] values, Compression.TopK topK) {
    float[] read = new float[values.length];
    IntStream.range(0, values.length)
        .boxed()
        .sorted(
            Comparator.comparingDouble((Integer i) -> -Math.abs(values[i]))
                .thenComparing(Comparator.naturalOrder()))
        .limit(topK.chosen(values.length))
        .forEach(i -> read[i] = values[i]);
    return read;
  }

  private static float[] signs(float[] values) {
    float[] read = new float[values.length];
    for (int begin = 0; begin < values.length; begin += BLOCK) {
      int end = Math.min(values.length, begin + BLOCK);
      // Elements at even and at odd places are summed apart.
      double[] above = new double[2];
      double[] below = new double[2];
      int notBelow = 0;
      for (int i = begin; i < end; i++) {
        if (values[i] >= 0) {
          above[i % 2] += values[i];
          notBelow++;
        } else {
          below[i % 2] += values[i];
        }
      }
      int others = end - begin - notBelow;
      float high = notBelow == 0 ? 0 : (float) ((above[0] + above[1]) / notBelow);
      float low = others == 0 ? 0 : (float) ((below[0] + below[1]) / others);
      for (int i = begin; i < end; i++) {
        read[i] = values[i] >= 0 ? high : low;
      }
    }
    return read;
  }

  private static float rounded(float value, DType format) {
    if (format == DType.FLOAT16) {
      return Float.float16ToFloat(Float.floatToFloat16(value));
    }
    // The two neighbours in bfloat16; the nearer one, or the even one.
    int bits = Float.floatToRawIntBits(value);
    float down = Float.intBitsToFloat(bits & 0xffff0000);
    float up = Float.intBitsToFloat((bits & 0xffff0000) + 0x10000);
    double below = Math.abs((double) value - down);
    double above = Math.abs((double) up - value);
    boolean even = (bits & 0x10000) == 0;
    return below < above || (below == above && even) ? down : up;
  }

  /** As {@link dev.tandem.sync.adasum.Adasum} describes its tree. */
  public static float[] adasum(List<float[]> ranks) {
    int power = Integer.highestOneBit(ranks.size());
    List<float[]> round = new ArrayList<>(ranks.subList(0, power));
    for (int i = power; i < ranks.size(); i++) {
      round.set(i - power, adasum(ranks.get(i - power), ranks.get(i)));
    }
    while (round.size() > 1) {
      List<float[]> next = new ArrayList<>();
      for (int i = 0; i < round.size(); i += 2) {
        next.add(adasum(round.get(i), round.get(i + 1)));
      }
      round = next;
    }
    return round.getFirst();
  }

  private static float[] adasum(float[] a, float[] b) {
    double ab = dot(a, b);
    double aa = dot(a, a);
    double bb = dot(b, b);
    float[] result = new float[a.length];
    for (int i = 0; i < a.length; i++) {
      double ofA = aa == 0 ? a[i] : a[i] * (1 - ab / (2 * aa));
      double ofB = bb == 0 ? b[i] : b[i] * (1 - ab / (2 * bb));
      result[i] = (float) (ofA + ofB);
    }
    return result;
  }

  private static double dot(float[] a, float[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += (double) a[i] * b[i];
    }
    return sum;
  }
}
