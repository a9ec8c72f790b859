package dev.tandem.tune.sample.tpe;

import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Domain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.WholeDomain;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A density of one or several parameters: a mixture of products of kernels, one around each
 * observation and a wide one, the prior.
 */
final class Parzen {

  /** The newest observations, which weigh most. */
  private static final int NEWEST = 25;

  /** Kernels are at least so wide, as part of the range. */
  private static final double NARROWEST = 100;

  /** A kernel with this exponent, and so much more for each dimension, adds nothing. */
  private static final double NOTHING = 64;

  private static final double NOTHING_MORE = 2 * Math.log(NARROWEST);

  private final Kernels[] dimensions;
  private final double[] cumulated;

  /** The weights over all that does not depend on the point. */
  private final double[] coefficients;

  private final double[] factors;
  private final double[] exponents;

  /**
   * A density of the rows that are members and have the parameters.
   *
   * @param members which rows
   * @param together whether the parameters are chosen together: then all kernels are equally wide
   */
  Parzen(
      Observations observations,
      List<Parameter> parameters,
      boolean[] members,
      boolean together,
      TpeSettings settings) {
    int[] columns = parameters.stream().mapToInt(observations::column).toArray();
    int[] kernels = new int[observations.rows()];
    int count = 0;
    for (int row = 0; row < kernels.length; row++) {
      kernels[row] = members[row] && observations.has(row, columns) ? count++ : -1;
    }
    double[] weights = weights(count);
    cumulated = weights.clone();
    for (int i = 1; i < cumulated.length; i++) {
      cumulated[i] += cumulated[i - 1];
    }
    coefficients = weights;
    dimensions = new Kernels[parameters.size()];
    for (int d = 0; d < dimensions.length; d++) {
      dimensions[d] =
          kernels(
              observations,
              columns[d],
              parameters.get(d).domain(),
              kernels,
              count,
              together
                  ? settings.width() * Math.pow(Math.max(1, count), -1.0 / (dimensions.length + 4))
                  : 0,
              settings.equalMass());
      dimensions[d].scale(coefficients);
    }
    factors = new double[count + 1];
    exponents = new double[count + 1];
  }

  /** Of the observations from the oldest on, and of the prior; in sum 1. */
  static double[] weights(int count) {
    double[] weights = new double[count + 1];
    int older = count < NEWEST ? 0 : count - NEWEST;
    for (int i = 0; i < older; i++) {
      double least = 1.0 / count;
      weights[i] = older == 1 ? least : least + i * (1 - least) / (older - 1);
    }
    Arrays.fill(weights, older, count + 1, 1);
    double sum = Arrays.stream(weights).sum();
    for (int i = 0; i <= count; i++) {
      weights[i] /= sum;
    }
    return weights;
  }

  private static Kernels kernels(
      Observations observations,
      int column,
      Domain domain,
      int[] kernels,
      int count,
      double width,
      boolean equalMass) {
    if (domain instanceof ChoiceDomain choice) {
      int[] observed = new int[count];
      for (int row = 0; row < kernels.length; row++) {
        if (kernels[row] >= 0) {
          observed[kernels[row]] = (int) observations.value(column, row);
        }
      }
      return new ChoiceKernels(choice.values().size(), observed);
    }
    double low = domain.low();
    double high = domain.high();
    double[] means = new double[count + 1];
    for (int row = 0; row < kernels.length; row++) {
      if (kernels[row] >= 0) {
        means[kernels[row]] = observations.value(column, row);
      }
    }
    means[count] = (low + high) / 2;
    double[] deviations = new double[count + 1];
    if (width > 0) {
      Arrays.fill(deviations, width * (high - low));
    } else {
      int[] order = order(observations, column, kernels, means);
      gaps(low, high, means, order, deviations);
    }
    double narrowest = (high - low) / Math.min(NARROWEST, count + 2);
    for (int i = 0; i < count; i++) {
      deviations[i] = Math.min(high - low, Math.max(narrowest, deviations[i]));
    }
    deviations[count] = high - low;
    double step = step(domain);
    return step > 0
        ? new StepKernels(low, high, step, means, deviations)
        : new NormalKernels(low, high, means, deviations, equalMass);
  }

  private static double step(Domain domain) {
    return switch (domain) {
      case RealDomain real -> real.step();
      case WholeDomain whole -> whole.log() ? 0 : whole.step();
      case ChoiceDomain choice -> 1;
    };
  }

  /** The kernels by their means, the prior after equal ones. */
  private static int[] order(Observations observations, int column, int[] kernels, double[] means) {
    int prior = means.length - 1;
    int[] order = new int[means.length];
    int filled = 0;
    boolean placed = false;
    int present = observations.present(column);
    for (int i = 0; i < present; i++) {
      int kernel = kernels[observations.sorted(column, i)];
      if (kernel < 0) {
        continue;
      }
      if (!placed && means[kernel] > means[prior]) {
        order[filled++] = prior;
        placed = true;
      }
      order[filled++] = kernel;
    }
    if (!placed) {
      order[filled] = prior;
    }
    return order;
  }

  /** The larger gap to a neighbour; the outermost ones take the inner gap. */
  private static void gaps(
      double low, double high, double[] means, int[] order, double[] deviations) {
    int last = order.length - 1;
    for (int i = 0; i <= last; i++) {
      double mean = means[order[i]];
      double before = mean - (i == 0 ? low : means[order[i - 1]]);
      double after = (i == last ? high : means[order[i + 1]]) - mean;
      double gap = Math.max(before, after);
      if (last > 0 && i == 0) {
        gap = after;
      } else if (last > 0 && i == last) {
        gap = before;
      }
      deviations[order[i]] = gap;
    }
  }

  /** Draws a point: one kernel for all dimensions. */
  void draw(SplittableRandom random, double[] point) {
    double place = random.nextDouble();
    int kernel = 0;
    while (kernel < cumulated.length - 1 && cumulated[kernel] <= place) {
      kernel++;
    }
    for (int d = 0; d < dimensions.length; d++) {
      point[d] = dimensions[d].draw(kernel, random);
    }
  }

  /** The logarithm of the density at a point, of internal numbers that stand for values. */
  double logDensity(double[] point) {
    System.arraycopy(coefficients, 0, factors, 0, factors.length);
    Arrays.fill(exponents, 0);
    for (int d = 0; d < dimensions.length; d++) {
      dimensions[d].multiply(point[d], factors, exponents);
    }
    double nothing = NOTHING + NOTHING_MORE * dimensions.length;
    double sum = 0;
    for (int i = 0; i < factors.length; i++) {
      if (exponents[i] < nothing) {
        sum += factors[i] * Math.exp(-exponents[i] / 2);
      }
    }
    return Math.log(sum);
  }
}
