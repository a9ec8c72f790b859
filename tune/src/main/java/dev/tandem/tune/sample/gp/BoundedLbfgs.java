package dev.tandem.tune.sample.gp;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;

/** Minimises a smooth function in a box by a projected quasi-Newton method of limited memory. */
final class BoundedLbfgs {

  /** A function with its gradient. */
  @FunctionalInterface
  interface Smooth {

    /** The value at a point; writes the gradient. */
    double value(double[] point, double[] gradient);
  }

  private static final int MEMORY = 10;
  private static final double ENOUGH = 1e-4;
  private static final double FLAT = 1e-7;
  private static final int HALVINGS = 30;

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Step(double[] moved, double[] change, double product) {}

  private final double[] low;
  private final double[] high;
  private final int iterations;

  BoundedLbfgs(double[] low, double[] high, int iterations) {
    this.low = low;
    this.high = high;
    this.iterations = iterations;
  }

  /** The best point found from a beginning in the box. */
  double[] minimize(Smooth function, double[] begin) {
    int d = begin.length;
    double[] at = begin.clone();
    double[] gradient = new double[d];
    double value = function.value(at, gradient);
    Deque<Step> memory = new ArrayDeque<>();
    double[] next = new double[d];
    double[] nextGradient = new double[d];
    for (int iteration = 0; iteration < iterations; iteration++) {
      double[] direction = direction(at, gradient, memory);
      double slope = dot(direction, gradient);
      if (!(slope < 0)) {
        memory.clear();
        direction = direction(at, gradient, memory);
        slope = dot(direction, gradient);
      }
      if (!(slope < -FLAT * FLAT)) {
        break;
      }
      double length = memory.isEmpty() ? Math.min(1, 1 / Math.sqrt(-slope)) : 1;
      double nextValue = Double.NaN;
      boolean better = false;
      for (int halving = 0; halving < HALVINGS && !better; halving++) {
        double along = 0;
        for (int i = 0; i < d; i++) {
          next[i] = Math.min(high[i], Math.max(low[i], at[i] + length * direction[i]));
          along += gradient[i] * (next[i] - at[i]);
        }
        nextValue = function.value(next, nextGradient);
        better = nextValue <= value + ENOUGH * along && along < 0;
        length /= 2;
      }
      if (!better) {
        break;
      }
      remember(memory, at, gradient, next, nextGradient);
      double gain = value - nextValue;
      value = nextValue;
      System.arraycopy(next, 0, at, 0, d);
      System.arraycopy(nextGradient, 0, gradient, 0, d);
      if (gain < FLAT * FLAT * Math.max(1, Math.abs(value))) {
        break;
      }
    }
    return at;
  }

  private static void remember(
      Deque<Step> memory, double[] at, double[] gradient, double[] next, double[] nextGradient) {
    double[] moved = new double[at.length];
    double[] change = new double[at.length];
    for (int i = 0; i < at.length; i++) {
      moved[i] = next[i] - at[i];
      change[i] = nextGradient[i] - gradient[i];
    }
    double product = dot(moved, change);
    if (product > 1e-12 * Math.sqrt(dot(moved, moved) * dot(change, change))) {
      memory.addLast(new Step(moved, change, product));
      if (memory.size() > MEMORY) {
        memory.removeFirst();
      }
    }
  }

  /** Against the gradient, in the metric of the memory, along the sides where it would leave. */
  private double[] direction(double[] at, double[] gradient, Deque<Step> memory) {
    int d = at.length;
    boolean[] free = new boolean[d];
    double[] direction = new double[d];
    for (int i = 0; i < d; i++) {
      boolean leaves =
          (at[i] <= low[i] && gradient[i] > 0) || (at[i] >= high[i] && gradient[i] < 0);
      free[i] = !leaves;
      direction[i] = leaves ? 0 : -gradient[i];
    }
    double[] shares = new double[memory.size()];
    int k = memory.size();
    for (Iterator<Step> back = memory.descendingIterator(); back.hasNext(); ) {
      Step step = back.next();
      shares[--k] = dot(step.moved, direction) / step.product;
      add(direction, -shares[k], step.change);
    }
    if (!memory.isEmpty()) {
      Step last = memory.getLast();
      double scale = last.product / dot(last.change, last.change);
      Arrays.setAll(direction, i -> direction[i] * scale);
    }
    for (Step step : memory) {
      double share = dot(step.change, direction) / step.product;
      add(direction, shares[k++] - share, step.moved);
    }
    for (int i = 0; i < d; i++) {
      if (!free[i]) {
        direction[i] = 0;
      }
    }
    return direction;
  }

  private static void add(double[] sum, double factor, double[] vector) {
    for (int i = 0; i < sum.length; i++) {
      sum[i] += factor * vector[i];
    }
  }

  private static double dot(double[] one, double[] other) {
    double sum = 0;
    for (int i = 0; i < one.length; i++) {
      sum += one[i] * other[i];
    }
    return sum;
  }
}
