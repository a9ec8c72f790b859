package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class GradientTest {

  private static final Engine ENGINE = Engine.start(1);
  private static final NetworkOptions EXACT = NetworkOptions.DEFAULT.withDtype(DType.FLOAT64);

  @Test
  void flattenedNetworkAgreesWithFiniteDifferences() {
    agreesWithFiniteDifferences(
        NetworkSpec.of(
            Shape.of(2, 9, 8),
            new Convolution("conv1", 4, 3, 1, 1),
            new MaxPool("pool1", 2, 2),
            Activation.relu("relu1"),
            new Convolution("conv2", 3, 2, 2, 0),
            Activation.relu("relu2"),
            new Flatten("flatten"),
            new FullyConnected("hidden", 7),
            Activation.relu("relu3"),
            new FullyConnected("scores", 5)));
  }

  @Test
  void globallyPooledNetworkAgreesWithFiniteDifferences() {
    agreesWithFiniteDifferences(
        NetworkSpec.of(
            Shape.of(1, 7, 7),
            new Convolution("conv1", 4, 5, 1, 2),
            Activation.relu("relu1"),
            new Convolution("conv2", 6, 3, 1, 0),
            GlobalPool.average("mean"),
            new FullyConnected("scores", 3)));
  }

  @Test
  void float32AgreesWithFloat64() {
    Seed seed = TestSeed.of(GradientTest.class);
    // Without maxima and kinks: where rounding decides those, gradients jump.
    NetworkSpec spec =
        NetworkSpec.of(
            Shape.of(1, 12, 12),
            new Convolution("conv1", 8, 5, 1, 2),
            Activation.gelu("gelu1"),
            new AveragePool("pool1", 2, 2),
            new Convolution("conv2", 16, 3, 1, 1),
            Activation.gelu("gelu2"),
            new Flatten("flatten"),
            new FullyConnected("scores", 10));
    try (Network exact = Network.create(ENGINE, spec, seed, EXACT);
        Network rough = Network.create(ENGINE, spec, seed)) {
      Batches exactBatch = Batches.random(seed, spec, DType.FLOAT64, 8);
      Batches roughBatch = Batches.random(seed, spec, DType.FLOAT32, 8);
      assertEquals(exactBatch.train(exact), roughBatch.train(rough), 1e-4);
      for (int p = 0; p < spec.parameters().size(); p++) {
        TensorView expected = exact.gradients().get(p);
        MemorySegment actual = rough.gradients().get(p).data();
        double largest = 0;
        double error = 0;
        for (long i = 0; i < expected.shape().elements(); i++) {
          double value = expected.data().getAtIndex(ValueLayout.JAVA_DOUBLE, i);
          largest = Math.max(largest, Math.abs(value));
          error = Math.max(error, Math.abs(value - actual.getAtIndex(ValueLayout.JAVA_FLOAT, i)));
        }
        assertTrue(error <= 1e-4 * largest, expected.name() + " is off by " + error);
      }
    }
  }

  private static void agreesWithFiniteDifferences(NetworkSpec spec) {
    Seed seed = TestSeed.of(GradientTest.class);
    try (Network network = Network.create(ENGINE, spec, seed, EXACT)) {
      Batches batch = Batches.random(seed.derive("batch"), spec, DType.FLOAT64, 3);
      moveBiases(network, seed.derive("biases").random());
      batch.train(network);
      MemorySegment gradients = Arena.ofAuto().allocate(network.gradientBuffer().byteSize(), 64);
      gradients.copyFrom(network.gradientBuffer());
      int kinks = 0;
      long checked = 0;
      long start = network.parameterBuffer().address();
      for (TensorView parameter : network.parameters()) {
        for (long i = 0; i < parameter.shape().elements(); i++) {
          long offset = parameter.data().address() - start + i * Double.BYTES;
          double expected = gradients.get(ValueLayout.JAVA_DOUBLE, offset);
          double coarse = difference(network, batch, parameter, i, 1e-5);
          double fine = difference(network, batch, parameter, i, 5e-6);
          checked++;
          if (Math.abs(coarse - fine) > 1e-6) {
            kinks++; // A ReLU or maximum switches within the step: no derivative to compare with.
            continue;
          }
          assertEquals(expected, fine, 1e-6, parameter.name() + "[" + i + "]");
        }
      }
      assertEquals(spec.parameterCount(), checked);
      assertTrue(kinks < checked / 20, kinks + " kinks");
    }
  }

  /** From zero: of a sample whose inputs are all zero, a ReLU would stand right at its kink. */
  private static void moveBiases(Network network, SplittableRandom random) {
    for (TensorView parameter : network.parameters()) {
      if (parameter.name().endsWith(".bias")) {
        for (long i = 0; i < parameter.shape().elements(); i++) {
          parameter.data().setAtIndex(ValueLayout.JAVA_DOUBLE, i, random.nextDouble(-0.1, 0.1));
        }
      }
    }
  }

  private static double difference(
      Network network, Batches batch, TensorView parameter, long index, double step) {
    MemorySegment data = parameter.data();
    double value = data.getAtIndex(ValueLayout.JAVA_DOUBLE, index);
    data.setAtIndex(ValueLayout.JAVA_DOUBLE, index, value + step);
    double above = batch.evaluate(network).meanLoss();
    data.setAtIndex(ValueLayout.JAVA_DOUBLE, index, value - step);
    double below = batch.evaluate(network).meanLoss();
    data.setAtIndex(ValueLayout.JAVA_DOUBLE, index, value);
    return (above - below) / (2 * step);
  }
}
