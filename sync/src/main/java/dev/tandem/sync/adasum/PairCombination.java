package dev.tandem.sync.adasum;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The arithmetic of Adasum on two stretches of float32: products in float64, summed in a fixed
 * order. It goes through small arrays. For one thread.
 */
final class PairCombination {

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final int BLOCK = 1024;

  private final float[] left = new float[BLOCK];
  private final float[] right = new float[BLOCK];

  /** The scalar products that a combination needs, three numbers for each tensor. */
  static final int PRODUCTS = 3;

  /** Adds a·b, a·a and b·b of two stretches, {@code dots[at]} to {@code dots[at + 2]}. */
  void products(MemorySegment a, MemorySegment b, double[] dots, int at) {
    long elements = a.byteSize() / Float.BYTES;
    // Elements at even and at odd places apart, so that additions need not wait for each other.
    double ab = 0;
    double aa = 0;
    double bb = 0;
    double abOdd = 0;
    double aaOdd = 0;
    double bbOdd = 0;
    float[] x = left;
    float[] y = right;
    for (long begin = 0; begin < elements; begin += BLOCK) {
      int count = load(a, b, begin, elements);
      if (count % 2 == 1) {
        x[count] = 0;
        y[count] = 0;
      }
      for (int i = 0; i < count; i += 2) {
        double x0 = x[i];
        double y0 = y[i];
        double x1 = x[i + 1];
        double y1 = y[i + 1];
        ab += x0 * y0;
        aa += x0 * x0;
        bb += y0 * y0;
        abOdd += x1 * y1;
        aaOdd += x1 * x1;
        bbOdd += y1 * y1;
      }
    }
    dots[at] += ab + abOdd;
    dots[at + 1] += aa + aaOdd;
    dots[at + 2] += bb + bbOdd;
  }

  /** Writes {@code a (1 - a·b / 2 a·a) + b (1 - a·b / 2 b·b)} to {@code target}, a or b. */
  void combine(MemorySegment a, MemorySegment b, double[] dots, int at, MemorySegment target) {
    double ofLeft = factor(dots[at], dots[at + 1]);
    double ofRight = factor(dots[at], dots[at + 2]);
    long elements = a.byteSize() / Float.BYTES;
    float[] x = left;
    float[] y = right;
    for (long begin = 0; begin < elements; begin += BLOCK) {
      int count = load(a, b, begin, elements);
      for (int i = 0; i < count; i++) {
        x[i] = (float) (ofLeft * x[i] + ofRight * y[i]);
      }
      MemorySegment.copy(x, 0, target, FLOAT, begin * Float.BYTES, count);
    }
  }

  /** Nothing is taken from a tensor of zeros, nor from what meets one. */
  private static double factor(double product, double square) {
    return square == 0 ? 1 : 1 - product / (2 * square);
  }

  private int load(MemorySegment a, MemorySegment b, long begin, long elements) {
    int count = (int) Math.min(BLOCK, elements - begin);
    MemorySegment.copy(a, FLOAT, begin * Float.BYTES, left, 0, count);
    MemorySegment.copy(b, FLOAT, begin * Float.BYTES, right, 0, count);
    return count;
  }
}
