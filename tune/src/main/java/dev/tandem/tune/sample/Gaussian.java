package dev.tandem.tune.sample;

/**
 * The normal distribution, to about 15 digits in both tails. Hipparchus has these functions by
 * continued fractions, which take fifty times as long.
 */
public final class Gaussian {

  private static final double INVERSE_ROOT_OF_2 = Math.sqrt(0.5);
  private static final double ROOT_OF_2_PI = Math.sqrt(2 * Math.PI);
  private static final double INVERSE_ROOT_OF_PI = 1 / Math.sqrt(Math.PI);

  // Cody, Rational Chebyshev approximations for the error function (1969): |x| <= 0.46875,
  // 0.46875 < x <= 4, and x > 4.
  private static final double[] A = {
    3.1611237438705655,
    113.86415415105016,
    377.485237685302,
    3209.3775891384694,
    0.18577770618460315
  };
  private static final double[] B = {
    23.601290952344122, 244.02463793444417, 1282.6165260773723, 2844.236833439171
  };
  private static final double[] C = {
    0.5641884969886701, 8.883149794388377, 66.11919063714163, 298.6351381974001,
    881.952221241769, 1712.0476126340707, 2051.0783778260716, 1230.3393547979972,
    2.1531153547440383e-8
  };
  private static final double[] D = {
    15.744926110709835, 117.6939508913125, 537.1811018620099, 1621.3895745666903,
    3290.7992357334597, 4362.619090143247, 3439.3676741437216, 1230.3393548037495
  };
  private static final double[] P = {
    0.30532663496123236,
    0.36034489994980445,
    0.12578172611122926,
    0.016083785148742275,
    0.0006587491615298378,
    0.016315387137302097
  };
  private static final double[] Q = {
    2.568520192289822,
    1.8729528499234604,
    0.5279051029514285,
    0.06051834131244132,
    0.0023352049762686918
  };

  private static final double SMALL = 0.46875;
  private static final double LARGE = 4;

  private Gaussian() {}

  /** The density of the standard normal distribution. */
  public static double density(double z) {
    return Math.exp(-z * z / 2) / ROOT_OF_2_PI;
  }

  /** Its distribution function. */
  public static double below(double z) {
    return 0.5 * erfc(-z * INVERSE_ROOT_OF_2);
  }

  /** The probability of an interval, without cancellation in either tail. */
  public static double between(double from, double to) {
    if (from > 0) {
      return below(-from) - below(-to);
    }
    return below(to) - below(from);
  }

  /** The complement of the error function. */
  public static double erfc(double x) {
    double size = Math.abs(x);
    if (size <= SMALL) {
      return 1 - nearZero(x);
    }
    double tail = size > 27 ? 0 : Math.exp(-size * size) * scaled(size);
    return x < 0 ? 2 - tail : tail;
  }

  /** {@code exp(x^2) erfc(x)}, which neither overflows nor vanishes for large numbers. */
  public static double erfcx(double x) {
    if (x < -SMALL) {
      return 2 * Math.exp(x * x) - scaled(-x);
    }
    return x <= SMALL ? Math.exp(x * x) * (1 - nearZero(x)) : scaled(x);
  }

  private static double nearZero(double x) {
    double square = x * x;
    double top = A[4] * square;
    double bottom = square;
    for (int i = 0; i < 3; i++) {
      top = (top + A[i]) * square;
      bottom = (bottom + B[i]) * square;
    }
    return x * (top + A[3]) / (bottom + B[3]);
  }

  /** Of a number above {@link #SMALL}. */
  private static double scaled(double x) {
    if (x <= LARGE) {
      double top = C[8] * x;
      double bottom = x;
      for (int i = 0; i < 7; i++) {
        top = (top + C[i]) * x;
        bottom = (bottom + D[i]) * x;
      }
      return (top + C[7]) / (bottom + D[7]);
    }
    double square = 1 / (x * x);
    double top = P[5] * square;
    double bottom = square;
    for (int i = 0; i < 4; i++) {
      top = (top + P[i]) * square;
      bottom = (bottom + Q[i]) * square;
    }
    return (INVERSE_ROOT_OF_PI - square * (top + P[4]) / (bottom + Q[4])) / x;
  }
}
