package dev.tandem.tune.sample;

import dev.tandem.core.Seed;
import java.util.List;
import org.hipparchus.random.SobolSequenceGenerator;

/** Points of Sobol's sequence, shifted by the digits of a seed: each one by itself. */
public final class SobolPoints {

  private static final int DIGITS = 52;

  private final SobolSequenceGenerator generator;
  private final long[] shifts;

  /** A sequence with one dimension for each name, each shifted by itself. */
  public SobolPoints(Seed seed, List<String> names) {
    generator = new SobolSequenceGenerator(names.size());
    shifts =
        names.stream().mapToLong(name -> seed.derive(name).value() >>> (64 - DIGITS)).toArray();
  }

  /** The point with this number, each coordinate at least 0 and less than 1. */
  public double[] point(int number) {
    // The first one, the origin, is left out.
    double[] point = generator.skipTo(number + 1);
    for (int i = 0; i < point.length; i++) {
      long digits = (long) Math.scalb(point[i], DIGITS) ^ shifts[i];
      point[i] = Math.scalb((double) digits, -DIGITS);
    }
    return point;
  }
}
