package dev.tandem.bench.tune;

import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A function to minimise whose least value is known.
 *
 * @param heldOut whether no sampler was designed while looking at it
 */
record TestFunction(
    String name, Space space, double least, ToDoubleFunction<Parameters> value, boolean heldOut) {

  /** How much more than the least value. */
  double regret(Parameters at) {
    return Math.max(0, value.applyAsDouble(at) - least);
  }

  /** A function of numbers that all have the same range. */
  static TestFunction ofCube(
      String name,
      int dimensions,
      double from,
      double to,
      double least,
      ToDoubleFunction<double[]> value,
      boolean heldOut) {
    List<Parameter> parameters = new ArrayList<>();
    for (int i = 0; i < dimensions; i++) {
      parameters.add(new Parameter("x" + i, new RealDomain(from, to, 0, false)));
    }
    return new TestFunction(
        name, new Space(parameters), least, at -> value.applyAsDouble(numbers(at)), heldOut);
  }

  private static double[] numbers(Parameters at) {
    return at.values().values().stream()
        .mapToDouble(each -> ((Number) each).doubleValue())
        .toArray();
  }
}
