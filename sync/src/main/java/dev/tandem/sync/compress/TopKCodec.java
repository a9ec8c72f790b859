package dev.tandem.sync.compress;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The largest elements by absolute value, as places and then values, each in ascending order of
 * places. Among equal ones the first are taken, so what travels depends on the values alone. What
 * is not a number counts as larger than everything, so that it is not lost.
 *
 * <p>Absolute values of floats are in the order of their bits. Two passes over the tensor: one adds
 * and counts by the upper bits, one collects what may be among the largest; the rest is among
 * these, which are few.
 */
final class TopKCodec implements PackedCodec {

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final int BLOCK = 1024;
  private static final int ABSOLUTE = Integer.MAX_VALUE;

  /** Absolute values have 31 bits: 11 upper, then 10 and 10. */
  private static final int UPPER_SHIFT = 20;

  private static final int LOWER_BITS = 10;
  private static final int LOWER_MASK = (1 << LOWER_BITS) - 1;

  private final float[] values = new float[BLOCK];
  private final float[] left = new float[BLOCK];
  private final int[] bits = new int[BLOCK];
  private final int[] counts = new int[1 << (31 - UPPER_SHIFT)];
  private final int[] countsOdd = new int[counts.length];
  private Compression.TopK compression = new Compression.TopK(Compression.USUAL_SHARE);
  // Elements that may be among the largest; grown as needed.
  private int[] places = new int[0];
  private int[] keys = new int[0];

  /** The same codec, from now on with this share. */
  TopKCodec of(Compression.TopK other) {
    compression = other;
    return this;
  }

  /** The smallest key that is chosen, and how many of its equals are. */
  private record Threshold(int key, int equals) {}

  @Override
  public void encode(MemorySegment data, Residuals.Turn turn, MemorySegment payload) {
    int elements = Math.toIntExact(data.byteSize() / Float.BYTES);
    int chosen = compression.chosen(elements);
    if (chosen == 0) {
      return;
    }
    addAndCount(data, turn, elements);
    int digit = counts.length;
    int above = 0;
    int taken = 0;
    while (taken < chosen) {
      above = taken;
      taken += counts[--digit];
    }
    collect(turn.after(), elements, digit << UPPER_SHIFT, taken);
    Threshold threshold = threshold(taken, digit, chosen - above);
    write(turn.after(), taken, threshold, payload, chosen);
  }

  private void addAndCount(MemorySegment data, Residuals.Turn turn, int elements) {
    float[] sum = values;
    float[] last = left;
    int[] tally = counts;
    int[] tallyOdd = countsOdd;
    Arrays.fill(tally, 0);
    Arrays.fill(tallyOdd, 0);
    for (int at = 0; at < elements; at += BLOCK) {
      int count = Math.min(BLOCK, elements - at);
      long offset = (long) at * Float.BYTES;
      MemorySegment.copy(data, FLOAT, offset, sum, 0, count);
      MemorySegment.copy(turn.before(), FLOAT, offset, last, 0, count);
      for (int i = 0; i < count; i++) {
        sum[i] += last[i];
      }
      MemorySegment.copy(sum, 0, turn.after(), FLOAT, offset, count);
      // Two tallies: neighbours are often alike, and counting one thing twice has to wait.
      for (int i = 0; i + 1 < count; i += 2) {
        tally[upper(sum[i])]++;
        tallyOdd[upper(sum[i + 1])]++;
      }
      if (count % 2 == 1) {
        tally[upper(sum[count - 1])]++;
      }
    }
    for (int i = 0; i < tally.length; i++) {
      tally[i] += tallyOdd[i];
    }
  }

  private static int upper(float value) {
    return (Float.floatToRawIntBits(value) & ABSOLUTE) >>> UPPER_SHIFT;
  }

  /** Collects the elements whose key is not below the lowest, whose number is known. */
  private void collect(MemorySegment sums, int elements, int lowest, int number) {
    if (keys.length < number + BLOCK) {
      // Behind the last one there is room for what turns out too small.
      places = new int[number + number / 4 + BLOCK];
      keys = new int[places.length];
    }
    int[] block = bits;
    int[] where = places;
    int end = 0;
    for (int at = 0; at < elements; at += BLOCK) {
      int count = Math.min(BLOCK, elements - at);
      MemorySegment.copy(sums, INT, (long) at * Integer.BYTES, block, 0, count);
      for (int i = 0; i < count; i++) {
        where[end] = at + i;
        // Without a branch: which elements are large cannot be foretold.
        end += (lowest - 1 - (block[i] & ABSOLUTE)) >>> 31;
      }
    }
    for (int i = 0; i < end; i++) {
      keys[i] = sums.get(INT, (long) where[i] * Integer.BYTES) & ABSOLUTE;
    }
  }

  /** Finds the lower bits of the threshold, whose upper bits are known. */
  private Threshold threshold(int number, int upper, int wanted) {
    int prefix = upper;
    int missing = wanted;
    for (int shift = LOWER_BITS; shift >= 0; shift -= LOWER_BITS) {
      Arrays.fill(counts, 0, 1 << LOWER_BITS, 0);
      for (int i = 0; i < number; i++) {
        if (keys[i] >>> (shift + LOWER_BITS) == prefix) {
          counts[(keys[i] >>> shift) & LOWER_MASK]++;
        }
      }
      int digit = LOWER_MASK;
      while (counts[digit] < missing) {
        missing -= counts[digit--];
      }
      prefix = prefix << LOWER_BITS | digit;
    }
    return new Threshold(prefix, missing);
  }

  private void write(
      MemorySegment sums, int number, Threshold threshold, MemorySegment payload, int chosen) {
    int equals = threshold.equals();
    long values = (long) chosen * Integer.BYTES;
    int written = 0;
    for (int i = 0; i < number; i++) {
      boolean equal = keys[i] == threshold.key() && equals > 0;
      if (equal) {
        equals--;
      }
      if (equal || keys[i] > threshold.key()) {
        long place = (long) places[i] * Float.BYTES;
        payload.set(INT, (long) written * Integer.BYTES, places[i]);
        payload.set(FLOAT, values + (long) written * Float.BYTES, sums.get(FLOAT, place));
        sums.set(FLOAT, place, 0);
        written++;
      }
    }
  }

  @Override
  public void sum(Gathered payloads, MemorySegment target) {
    target.fill((byte) 0);
    int chosen = compression.chosen(target.byteSize() / Float.BYTES);
    MemorySegment all = payloads.all();
    for (int rank = 0; rank < payloads.ranks(); rank++) {
      long indices = payloads.begin(rank);
      long numbers = indices + (long) chosen * Integer.BYTES;
      for (int i = 0; i < chosen; i++) {
        long place = (long) all.get(INT, indices + (long) i * Integer.BYTES) * Float.BYTES;
        float value = all.get(FLOAT, numbers + (long) i * Float.BYTES);
        target.set(FLOAT, place, target.get(FLOAT, place) + value);
      }
    }
  }
}
