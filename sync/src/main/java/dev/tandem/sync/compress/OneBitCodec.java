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
  private final float[] parts = new float[BLOCK];
  private final int[] bits = new int[BLOCK];
  private final int[] chosen = new int[BLOCK];
  private final float[] means = new float[2];
  private final long[] signs = new long[BLOCK / Long.SIZE];
  // The same arrays as memory: numbers become bits and bits numbers by copying.
  private final MemorySegment valuesMemory = MemorySegment.ofArray(values);
  private final MemorySegment partsMemory = MemorySegment.ofArray(parts);
  private final MemorySegment bitsMemory = MemorySegment.ofArray(bits);
  private final MemorySegment chosenMemory = MemorySegment.ofArray(chosen);

  @Override
  public void encode(MemorySegment data, Residuals.Turn turn, MemorySegment payload) {
    long elements = data.byteSize() / Float.BYTES;
    float[] sum = values;
    float[] other = parts;
    long to = 0;
    for (long at = 0; at < elements; at += BLOCK) {
      int count = (int) Math.min(BLOCK, elements - at);
      long offset = at * Float.BYTES;
      MemorySegment.copy(data, FLOAT, offset, sum, 0, count);
      MemorySegment.copy(turn.before(), FLOAT, offset, other, 0, count);
      for (int i = 0; i < count; i++) {
        sum[i] += other[i];
      }
      quantise(count);
      for (int i = 0; i < count; i++) {
        sum[i] -= other[i];
      }
      MemorySegment.copy(sum, 0, turn.after(), FLOAT, offset, count);
      MemorySegment.copy(means, 0, payload, FLOAT, to, 2);
      int words = Math.ceilDiv(count, Long.SIZE);
      MemorySegment.copy(signs, 0, payload, LONG, to + 2 * Float.BYTES, words);
      to += 2L * Float.BYTES + (long) words * Long.BYTES;
    }
  }

  /** Finds signs and means of the values; what stands for them is in the parts then. */
  private void quantise(int count) {
    MemorySegment.copy(valuesMemory, 0, bitsMemory, 0, (long) count * Float.BYTES);
    int notBelow = pack(count);
    // Masks of sign bits choose without branches, which would go wrong half of the time.
    int[] all = bits;
    int[] some = chosen;
    for (int i = 0; i < count; i++) {
      some[i] = all[i] & ~(all[i] >> 31);
    }
    means[ABOVE] = mean(sumOfChosen(count), notBelow);
    for (int i = 0; i < count; i++) {
      some[i] = all[i] & (all[i] >> 31);
    }
    means[BELOW] = mean(sumOfChosen(count), count - notBelow);
    int above = Float.floatToRawIntBits(means[ABOVE]);
    int below = Float.floatToRawIntBits(means[BELOW]);
    for (int i = 0; i < count; i++) {
      some[i] = (above & ~(all[i] >> 31)) | (below & (all[i] >> 31));
    }
    MemorySegment.copy(chosenMemory, 0, partsMemory, 0, (long) count * Float.BYTES);
  }

  /** Packs the signs; gives the number of those not below zero. */
  private int pack(int count) {
    int notBelow = 0;
    for (int begin = 0; begin < count; begin += Long.SIZE) {
      int end = Math.min(count, begin + Long.SIZE);
      long word = 0;
      for (int i = begin; i < end; i++) {
        word |= (long) (bits[i] >>> 31 ^ 1) << i;
      }
      signs[begin / Long.SIZE] = word;
      notBelow += Long.bitCount(word);
    }
    return notBelow;
  }

  /** Elements at even and at odd places apart, so that additions need not wait for each other. */
  private double sumOfChosen(int count) {
    MemorySegment.copy(chosenMemory, 0, partsMemory, 0, (long) count * Float.BYTES);
    float[] v = parts;
    double even = 0;
    double odd = 0;
    for (int i = 0; i + 1 < count; i += 2) {
      even += v[i];
      odd += v[i + 1];
    }
    if (count % 2 == 1) {
      even += v[count - 1];
    }
    return even + odd;
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
        long payload = payloads.begin(rank) + from;
        MemorySegment.copy(payloads.all(), FLOAT, payload, means, 0, 2);
        MemorySegment.copy(payloads.all(), LONG, payload + 2 * Float.BYTES, signs, 0, words);
        for (int begin = 0; begin < count; begin += Long.SIZE) {
          add(signs[begin / Long.SIZE], begin, Math.min(count, begin + Long.SIZE));
        }
      }
      MemorySegment.copy(sum, 0, target, FLOAT, at * Float.BYTES, count);
      from += 2L * Float.BYTES + (long) words * Long.BYTES;
    }
  }

  private void add(long word, int begin, int end) {
    float[] sum = values;
    float[] both = means;
    long left = word;
    for (int i = begin; i < end; i++) {
      sum[i] += both[(int) left & 1];
      left >>>= 1;
    }
  }
}
