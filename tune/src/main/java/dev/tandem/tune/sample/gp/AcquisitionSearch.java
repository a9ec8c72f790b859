package dev.tandem.tune.sample.gp;

import dev.tandem.core.Seed;
import dev.tandem.tune.sample.SobolPoints;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Finds where the improvement that a Gaussian process expects is largest. */
final class AcquisitionSearch {

  private static final int POINTS = 2048;
  private static final int ROULETTE = 8;
  private static final int ROUNDS = 100;
  private static final int ITERATIONS = 200;
  private static final int ALL_VALUES = 16;

  private final GpDimensions dimensions;
  private final Gp gp;
  private final double best;

  AcquisitionSearch(GpDimensions dimensions, Gp gp, double best) {
    this.dimensions = dimensions;
    this.gp = gp;
    this.best = best;
  }

  /**
   * The best point found.
   *
   * @param known a point to begin from, too
   */
  double[] search(double[] known, Seed seed) {
    SobolPoints sobol = new SobolPoints(seed, dimensions.names());
    double[][] points = new double[POINTS][];
    double[] values = new double[POINTS];
    for (int i = 0; i < POINTS; i++) {
      points[i] = dimensions.nearest(sobol.point(i));
      values[i] = gp.logImprovement(points[i], best, null);
    }
    double[] found = null;
    double most = Double.NEGATIVE_INFINITY;
    for (double[] start : starts(points, values, known, seed.derive("starts").random())) {
      double[] end = climb(start);
      double value = gp.logImprovement(end, best, null);
      if (found == null || value > most) {
        found = end;
        most = value;
      }
    }
    return found;
  }

  /** The best of the points, one that is known, and some drawn by their improvement. */
  private static List<double[]> starts(
      double[][] points, double[] values, double[] known, SplittableRandom random) {
    double most = Arrays.stream(values).max().orElseThrow();
    double[] shares = new double[values.length];
    List<double[]> starts = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      shares[i] = Math.exp(values[i] - most);
      if (values[i] == most && starts.isEmpty()) {
        starts.add(points[i]);
        shares[i] = 0;
      }
    }
    starts.add(known);
    for (int draw = 0; draw < ROULETTE; draw++) {
      double place = random.nextDouble() * Arrays.stream(shares).sum();
      int drawn = 0;
      while (drawn < shares.length - 1 && place >= shares[drawn]) {
        place -= shares[drawn++];
      }
      if (shares[drawn] > 0) {
        starts.add(points[drawn]);
        shares[drawn] = 0;
      }
    }
    return starts;
  }

  /** The ranges together, then each dimension with steps, until nothing changes. */
  private double[] climb(double[] start) {
    double[] at = start.clone();
    double value = gp.logImprovement(at, best, null);
    for (int round = 0; round < ROUNDS; round++) {
      double before = value;
      double[] moved = climbRanges(at);
      double there = gp.logImprovement(moved, best, null);
      if (there > value) {
        at = moved;
        value = there;
      }
      for (int d = 0; d < at.length; d++) {
        value = climbSteps(at, d, value);
      }
      if (!(value > before + 1e-9)) {
        break;
      }
    }
    return at;
  }

  private double[] climbRanges(double[] start) {
    int[] ranges = dimensions.ranges();
    if (ranges.length == 0) {
      return start;
    }
    // In units in which the process changes alike along every dimension.
    double[] units = new double[ranges.length];
    double[] begin = new double[ranges.length];
    double[] weights = gp.weights();
    for (int i = 0; i < ranges.length; i++) {
      units[i] = Math.sqrt(weights[ranges[i]]);
      begin[i] = start[ranges[i]] * units[i];
    }
    double[] whole = start.clone();
    double[] gradient = new double[start.length];
    double[] end =
        new BoundedLbfgs(new double[ranges.length], units, ITERATIONS)
            .minimize(
                (point, slopes) -> {
                  place(point, ranges, units, whole);
                  double value = gp.logImprovement(whole, best, gradient);
                  for (int i = 0; i < ranges.length; i++) {
                    slopes[i] = -gradient[ranges[i]] / units[i];
                  }
                  return -value;
                },
                begin);
    double[] moved = start.clone();
    place(end, ranges, units, moved);
    return moved;
  }

  private static void place(double[] point, int[] ranges, double[] units, double[] whole) {
    for (int i = 0; i < ranges.length; i++) {
      whole[ranges[i]] = Math.min(1, point[i] / units[i]);
    }
  }

  /** All values if they are few, else some of them and then the neighbours of the best. */
  private double climbSteps(double[] at, int dimension, double value) {
    long count = dimensions.count(dimension);
    if (count == 0) {
      return value;
    }
    double most = value;
    long looks = Math.min(count, ALL_VALUES);
    for (long i = 0; i < looks; i++) {
      long step = looks == 1 ? 0 : Math.round((double) i * (count - 1) / (looks - 1));
      most = tryStep(at, dimension, step, most);
    }
    if (count <= ALL_VALUES) {
      return most;
    }
    for (long reach = count / ALL_VALUES; reach >= 1; reach /= 2) {
      long step = dimensions.step(dimension, at[dimension]);
      most = tryStep(at, dimension, Math.max(0, step - reach), most);
      most = tryStep(at, dimension, Math.min(count - 1, step + reach), most);
    }
    return most;
  }

  private double tryStep(double[] at, int dimension, long step, double most) {
    double before = at[dimension];
    at[dimension] = dimensions.place(dimension, step);
    double value = gp.logImprovement(at, best, null);
    if (value > most) {
      return value;
    }
    at[dimension] = before;
    return most;
  }
}
