package dev.tandem.nn.engine;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.function.DoubleSupplier;
import java.util.stream.DoubleStream;

/** The numbers of tensors, for tests. */
public final class Tensors {

  private Tensors() {}

  /** All elements, row-major, whatever the order in memory. */
  public static double[] numbers(Tensor tensor) {
    return tensor.to(ScalarType.DOUBLE).contiguous().memory().toArray(JAVA_DOUBLE);
  }

  /** A tensor with memory of its own. */
  public static Tensor of(ScalarType type, DoubleSupplier values, long... sizes) {
    long elements = 1;
    for (long size : sizes) {
      elements *= size;
    }
    double[] numbers = DoubleStream.generate(values).limit(elements).toArray();
    try (Arena arena = Arena.ofConfined()) {
      Tensor borrowed =
          Tensor.of(arena.allocateFrom(JAVA_DOUBLE, numbers), ScalarType.DOUBLE, sizes);
      return borrowed.copy().to(type);
    }
  }

  public static double largest(Tensor tensor) {
    return DoubleStream.of(numbers(tensor)).map(Math::abs).max().orElse(0);
  }

  /** The largest difference of two elements in the same place. */
  public static double apart(Tensor expected, Tensor actual) {
    return largest(expected.to(ScalarType.DOUBLE).sub(actual.to(ScalarType.DOUBLE)));
  }

  /** Equal numbers, and the same elements that are not a number. */
  public static boolean same(Tensor expected, Tensor actual) {
    if (!Arrays.equals(expected.sizes(), actual.sizes())) {
      return false;
    }
    double[] left = numbers(expected);
    double[] right = numbers(actual);
    for (int i = 0; i < left.length; i++) {
      if (!(left[i] == right[i] || (Double.isNaN(left[i]) && Double.isNaN(right[i])))) {
        return false;
      }
    }
    return true;
  }

  public static void fill(Tensor tensor, double value) {
    tensor.copy_(tensor.fullLike(value));
  }
}
