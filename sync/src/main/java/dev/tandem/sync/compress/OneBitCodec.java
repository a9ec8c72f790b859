package dev.tandem.sync.compress;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Signs, as 1-bit SGD (Seide et al., 2014) sends them. Each block of a tensor is written as the
 * mean of its elements below zero, that of the others, and one bit for each, set if it is not below
 * zero. A number that is not finite makes the means of its block so, and is not lost.
 */
final class OneBitCodec implements PackedCodec {

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final int BLOCK = Compression.OneBit.BLOCK;
  private static final int BELOW = 0;
  private static final int ABOVE = 1;

  private final float[] values = new float[BLOCK];
  private final float[] left = new float[BLOCK];
  private final float[] means = new float[2];
  private final long[] signs = new long[BLOCK / Long.SIZE];

  @Override
  public void encode(MemorySegment data, Residuals.Turn turn, MemorySegment payload) {
    long elements = data.byteSize() / Float.BYTES;
    float[] sum = values;
    float[] last = left;
    long to = 0;
    for (long at = 0; at < elements; at += BLOCK) {
      int count = (int) Math.min(BLOCK, elements - at);
      long offset = at * Float.BYTES;
      MemorySegment.copy(data, FLOAT, offset, sum, 0, count);
      MemorySegment.copy(turn.before(), FLOAT, offset, last, 0, count);
      for (int i = 0; i < count; i++) {
        sum[i] += last[i];
      }
      quantise(count);
      for (int i = 0; i < count; i++) {
        sum[i] -= means[bit(i)];
      }
      MemorySegment.copy(sum, 0, turn.after(), FLOAT, offset, count);
      MemorySegment.copy(means, 0, payload, FLOAT, to, 2);
      int words = Math.ceilDiv(count, Long.SIZE);
      MemorySegment.copy(signs, 0, payload, LONG, to + 2 * Float.BYTES, words);
      to += 2L * Float.BYTES + (long) words * Long.BYTES;
    }
  }

  private int bit(int element) {
    return (int) (signs[element / Long.SIZE] >>> element) & 1;
  }

  /** Finds signs and means of the values. */
  private void quantise(int count) {
    float[] v = values;
    int notBelow = 0;
    for (int begin = 0; begin < count; begin += Long.SIZE) {
      int end = Math.min(count, begin + Long.SIZE);
      long word = 0;
      for (int i = begin; i < end; i++) {
        // By the sign bit: no branch that could go wrong half of the time.
        word |= (Float.floatToRawIntBits(v[i]) >>> 31 ^ 1L) << i;
      }
      signs[begin / Long.SIZE] = word;
      notBelow += Long.bitCount(word);
    }
    // Two sums each, so that additions need not wait for each other.
    double above = 0;
    double aboveOdd = 0;
    double below = 0;
    double belowOdd = 0;
    for (int i = 0; i + 1 < count; i += 2) {
      above += Math.max(v[i], 0f);
      below += Math.min(v[i], 0f);
      aboveOdd += Math.max(v[i + 1], 0f);
      belowOdd += Math.min(v[i + 1], 0f);
    }
    if (count % 2 == 1) {
      above += Math.max(v[count - 1], 0f);
      below += Math.min(v[count - 1], 0f);
    }
    means[ABOVE] = mean(above + aboveOdd, notBelow);
    means[BELOW] = mean(below + belowOdd, count - notBelow);
  }

  private static float mean(double sum, int count) {
    return count == 0 ? 0 : (float) (sum / count);
  }

  @Override
  public void sum(Gathered payloads, MemorySegment target) {
    long elements = target.byteSize() / Float.BYTES;
    float[] sum = values;
    long from = 0;
    for (long at = 0; at < elements; at += BLOCK) {
      int count = (int) Math.min(BLOCK, elements - at);
      int words = Math.ceilDiv(count, Long.SIZE);
      Arrays.fill(sum, 0, count, 0);
      for (int rank = 0; rank < payloads.ranks(); rank++) {
        long begin = payloads.begin(rank) + from;
        MemorySegment.copy(payloads.all(), FLOAT, begin, means, 0, 2);
        MemorySegment.copy(payloads.all(), LONG, begin + 2 * Float.BYTES, signs, 0, words);
        for (int i = 0; i < count; i++) {
          sum[i] += means[bit(i)];
        }
      }
      MemorySegment.copy(sum, 0, target, FLOAT, at * Float.BYTES, count);
      from += 2L * Float.BYTES + (long) words * Long.BYTES;
    }
  }
}
