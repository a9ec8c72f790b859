package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.NetworkSpec;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * LARS and LAMB over many steps against the papers' formulas in plain Java, with a learning rate
 * that changes, two weights of different size, and biases.
 */
class LayerwiseRatesTest {

  private static final Engine ENGINE = Engine.start(1);
  private static final NetworkSpec SPEC =
      NetworkSpec.of(
          Shape.of(6), new FullyConnected("first", 5, true), new FullyConnected("second", 3, true));
  private static final int STEPS = 25;
  private static final long SEED = 7;
  private static final double EXACT = 1e-11;

  /** One tensor of the reference, with what an optimizer keeps of it. */
  private static final class Reference {
    final boolean weight;
    final double[] values;
    final double[] first;
    final double[] second;

    Reference(TensorView view) {
      weight = view.shape().extents().size() > 1;
      values = Batches.numbers(view);
      first = new double[values.length];
      second = new double[values.length];
    }
  }

  /** How the reference moves one tensor. */
  private interface Formula {
    void move(Reference tensor, double[] gradient, double rate, int step);
  }

  @Test
  void larsFollowsItsFormula() {
    Lars.Settings s = new Lars.Settings(0.9, 5e-3, 0.02);
    follows(
        network -> new Lars(network, s),
        (tensor, gradient, rate, step) -> {
          double size = norm(tensor.values);
          double local =
              tensor.weight ? s.trust() * size / (norm(gradient) + s.weightDecay() * size) : 1;
          double decay = tensor.weight ? s.weightDecay() : 0;
          for (int i = 0; i < gradient.length; i++) {
            double slope = gradient[i] + decay * tensor.values[i];
            tensor.first[i] = s.momentum() * tensor.first[i] + rate * local * slope;
            tensor.values[i] -= tensor.first[i];
          }
        });
  }

  @Test
  void lambFollowsItsFormula() {
    Lamb.Settings s = new Lamb.Settings(0.9, 0.99, 1e-6, 0.02);
    follows(
        network -> new Lamb(network, s),
        (tensor, gradient, rate, step) -> {
          double[] move = new double[gradient.length];
          for (int i = 0; i < gradient.length; i++) {
            tensor.first[i] = s.meanDecay() * tensor.first[i] + (1 - s.meanDecay()) * gradient[i];
            tensor.second[i] =
                s.squareDecay() * tensor.second[i]
                    + (1 - s.squareDecay()) * gradient[i] * gradient[i];
            double mean = tensor.first[i] / (1 - Math.pow(s.meanDecay(), step));
            double square = tensor.second[i] / (1 - Math.pow(s.squareDecay(), step));
            move[i] = mean / (Math.sqrt(square) + s.epsilon());
            move[i] += tensor.weight ? s.weightDecay() * tensor.values[i] : 0;
          }
          double trust = tensor.weight ? norm(tensor.values) / norm(move) : 1;
          for (int i = 0; i < gradient.length; i++) {
            tensor.values[i] -= rate * trust * move[i];
          }
        });
  }

  @Test
  void zeroGradientsAndZeroWeightsMoveAsPlainSteps() {
    Lars.Settings s = new Lars.Settings(0.5, 0, 0.02);
    try (Network network = network();
        Optimizer optimizer = new Lars(network, s)) {
      network.parameterBuffer().fill((byte) 0);
      for (TensorView gradient : network.gradients()) {
        fill(gradient, filled(gradient, 0.25));
      }
      optimizer.step(0.1);
      for (TensorView parameter : network.parameters()) {
        for (double value : Batches.numbers(parameter)) {
          assertEquals(-0.025, value, EXACT);
        }
      }
      network.gradientBuffer().fill((byte) 0);
      optimizer.step(0.1); // momentum alone
      for (double value : Batches.numbers(network.parameters().getFirst())) {
        assertEquals(-0.0375, value, EXACT);
      }
    }
  }

  private static void follows(Function<Network, Optimizer> method, Formula formula) {
    SplittableRandom random = new Seed(SEED).random();
    try (Network network = network();
        Optimizer optimizer = method.apply(network)) {
      List<Reference> references = new ArrayList<>();
      network.parameters().forEach(view -> references.add(new Reference(view)));
      for (int step = 1; step <= STEPS; step++) {
        double rate = 0.3 / step;
        for (int i = 0; i < references.size(); i++) {
          double scale = i == 0 ? 10 : 0.1; // layers whose gradients differ in size
          double[] gradient =
              random.doubles(references.get(i).values.length, -scale, scale).toArray();
          fill(network.gradients().get(i), gradient);
          formula.move(references.get(i), gradient, rate, step);
        }
        optimizer.step(rate);
        for (int i = 0; i < references.size(); i++) {
          double[] actual = Batches.numbers(network.parameters().get(i));
          for (int k = 0; k < actual.length; k++) {
            assertEquals(
                references.get(i).values[k],
                actual[k],
                EXACT,
                "seed %d, step %d, tensor %d".formatted(SEED, step, i));
          }
        }
      }
    }
  }

  private static Network network() {
    return Network.create(
        ENGINE, SPEC, new Seed(SEED), NetworkOptions.DEFAULT.withDtype(DType.FLOAT64));
  }

  private static double[] filled(TensorView view, double value) {
    double[] values = new double[(int) view.shape().elements()];
    Arrays.fill(values, value);
    return values;
  }

  private static void fill(TensorView view, double[] values) {
    for (int i = 0; i < values.length; i++) {
      view.data().setAtIndex(ValueLayout.JAVA_DOUBLE, i, values[i]);
    }
  }

  private static double norm(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value * value;
    }
    return Math.sqrt(sum);
  }
}
