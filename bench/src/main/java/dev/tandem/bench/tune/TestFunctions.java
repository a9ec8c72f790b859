package dev.tandem.bench.tune;

import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.WholeDomain;
import java.util.List;
import java.util.SplittableRandom;

/** The functions on which samplers are compared. */
final class TestFunctions {

  private static final double[] HARTMANN_WEIGHTS = {1.0, 1.2, 3.0, 3.2};
  private static final double[][] HARTMANN_SCALES = {
    {10, 3, 17, 3.5, 1.7, 8},
    {0.05, 10, 17, 0.1, 8, 14},
    {3, 3.5, 1.7, 10, 17, 8},
    {17, 8, 0.05, 10, 0.1, 14}
  };
  private static final double[][] HARTMANN_PLACES = {
    {0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
    {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
    {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
    {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}
  };

  private TestFunctions() {}

  /** Five that the default sampler was chosen on, and five that it was not. */
  static List<TestFunction> all() {
    return List.of(
        new TestFunction(
            "branin",
            Space.of(
                new Parameter("x", new RealDomain(-5, 10, 0, false)),
                new Parameter("y", new RealDomain(0, 15, 0, false))),
            0.39788735772973816,
            at -> branin(at.real("x"), at.real("y")),
            false),
        TestFunction.ofCube(
            "hartmann-6", 6, 0, 1, -3.322368011391339, TestFunctions::hartmann, false),
        TestFunction.ofCube("rosenbrock-10", 10, -5, 10, 0, TestFunctions::rosenbrock, false),
        TestFunction.ofCube("ackley-10", 10, -32.768, 32.768, 0, TestFunctions::ackley, false),
        new TestFunction("conditional", conditionalSpace(), 0, TestFunctions::conditional, false),
        TestFunction.ofCube("rastrigin-5", 5, -5.12, 5.12, 0, TestFunctions::rastrigin, true),
        TestFunction.ofCube("levy-8", 8, -10, 10, 0, TestFunctions::levy, true),
        TestFunction.ofCube(
            "styblinski-tang-4", 4, -5, 5, -39.16616570377142 * 4, TestFunctions::styblinski, true),
        TestFunction.ofCube("griewank-6", 6, -600, 600, 0, TestFunctions::griewank, true),
        new TestFunction("mixed", mixedSpace(), 0, TestFunctions::mixed, true));
  }

  private static double square(double x) {
    return x * x;
  }

  private static double branin(double x, double y) {
    double valley = y - 5.1 / (4 * square(Math.PI)) * x * x + 5 / Math.PI * x - 6;
    return square(valley) + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x) + 10;
  }

  private static double hartmann(double[] x) {
    double sum = 0;
    for (int i = 0; i < HARTMANN_WEIGHTS.length; i++) {
      double distance = 0;
      for (int j = 0; j < x.length; j++) {
        distance += HARTMANN_SCALES[i][j] * square(x[j] - HARTMANN_PLACES[i][j]);
      }
      sum -= HARTMANN_WEIGHTS[i] * Math.exp(-distance);
    }
    return sum;
  }

  private static double rosenbrock(double[] x) {
    double sum = 0;
    for (int i = 0; i + 1 < x.length; i++) {
      sum += 100 * square(x[i + 1] - x[i] * x[i]) + square(1 - x[i]);
    }
    return sum;
  }

  private static double ackley(double[] x) {
    double squares = 0;
    double cosines = 0;
    for (double each : x) {
      squares += each * each;
      cosines += Math.cos(2 * Math.PI * each);
    }
    return 20
        - 20 * Math.exp(-0.2 * Math.sqrt(squares / x.length))
        + Math.E
        - Math.exp(cosines / x.length);
  }

  /** Where the least value of a shifted function is, from -1 to 1 in each dimension. */
  private static double shift(int dimension) {
    return new SplittableRandom(1000 + dimension).nextDouble(-0.5, 0.5);
  }

  private static double rastrigin(double[] x) {
    double sum = 10.0 * x.length;
    for (int i = 0; i < x.length; i++) {
      double z = x[i] - 5.12 * shift(i);
      sum += z * z - 10 * Math.cos(2 * Math.PI * z);
    }
    return sum;
  }

  private static double levy(double[] x) {
    double first = 1 + (x[0] - 1) / 4;
    double sum = square(Math.sin(Math.PI * first));
    for (int i = 0; i + 1 < x.length; i++) {
      double w = 1 + (x[i] - 1) / 4;
      sum += square(w - 1) * (1 + 10 * square(Math.sin(Math.PI * w + 1)));
    }
    double last = 1 + (x[x.length - 1] - 1) / 4;
    return sum + square(last - 1) * (1 + square(Math.sin(2 * Math.PI * last)));
  }

  private static double styblinski(double[] x) {
    double sum = 0;
    for (double each : x) {
      sum += (square(each * each) - 16 * each * each + 5 * each) / 2;
    }
    return sum;
  }

  private static double griewank(double[] x) {
    double sum = 0;
    double product = 1;
    for (int i = 0; i < x.length; i++) {
      double z = x[i] - 600 * shift(i);
      sum += z * z / 4000;
      product *= Math.cos(z / Math.sqrt(i + 1.0));
    }
    return 1 + sum - product;
  }

  private static Space conditionalSpace() {
    return Space.of(
        new Parameter("optimizer", new ChoiceDomain(List.of("adam", "sgd", "rmsprop"))),
        new Parameter("rate", new RealDomain(1e-6, 1, 0, true)),
        new Parameter("momentum", new RealDomain(0, 1, 0, false)).when("optimizer", "sgd"),
        new Parameter("beta", new RealDomain(0.5, 1, 0, false)).when("optimizer", "adam"),
        new Parameter("layers", new WholeDomain(1, 8, 1, false)));
  }

  private static double conditional(Parameters at) {
    double rate = Math.log10(at.real("rate"));
    double layers = square((at.real("layers") - 3) / 8);
    return layers
        + switch (at.word("optimizer")) {
          case "sgd" -> square((rate + 1.3) / 6) + square(at.real("momentum") - 0.9);
          case "adam" -> 0.05 + square((rate + 3) / 6) + square(at.real("beta") - 0.9);
          default -> 0.1 + square((rate + 3) / 6);
        };
  }

  private static Space mixedSpace() {
    return Space.of(
        new Parameter("units", new WholeDomain(1, 1024, 1, true)),
        new Parameter("batch", new WholeDomain(16, 256, 16, false)),
        new Parameter("rate", new RealDomain(1e-5, 1, 0, true)),
        new Parameter("drop", new RealDomain(0, 0.8, 0.05, false)),
        new Parameter("activation", new ChoiceDomain(List.of("relu", "tanh", "gelu", "elu"))));
  }

  private static double mixed(Parameters at) {
    double units = Math.log(at.real("units") / 150) / Math.log(2);
    double rate = Math.log10(at.real("rate")) + 2.5;
    double activation =
        switch (at.word("activation")) {
          case "gelu" -> 0;
          case "relu" -> 0.1;
          case "elu" -> 0.3;
          default -> 0.5;
        };
    // 150 units, a batch of 96, 10^-2.5, 0.3; 150 is whole, so all of them can be reached.
    return square(units / 5)
        + square((at.real("batch") - 96) / 240)
        + square(rate)
        + 0.3 * square(rate - units / 5)
        + square(at.real("drop") - 0.3)
        + activation;
  }
}
