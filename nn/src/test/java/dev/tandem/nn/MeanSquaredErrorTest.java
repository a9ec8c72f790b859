package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LossKind;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class MeanSquaredErrorTest {

  @Test
  void hasTheClosedForm() {
    NetworkSpec spec = spec();
    MemorySegment inputs = memory(1, 2, 3, 4);
    MemorySegment targets = memory(1, 0, 0, 1);
    NetworkOptions options = NetworkOptions.DEFAULT.withDtype(DType.FLOAT64);
    try (Network network = Network.create(Engine.start(1), spec, new Seed(1), options)) {
      network.parameterBuffer().fill((byte) 0);
      MemorySegment weight = network.parameters().getFirst().data();
      weight.setAtIndex(ValueLayout.JAVA_DOUBLE, 0, 1); // outputs: (1, 0) and (3, 0)
      Samples samples = new Samples(inputs, targets, 2);
      // Squares of differences: 0, 0, 9, 1; their gradients by the outputs: 0, 0, 3/2, -1/2.
      assertEquals(2.5, network.forwardBackward(samples, TrainingStep.of(new Seed(1), 0)), 1e-12);
      double[] gradient = Batches.numbers(network.gradients().getFirst());
      assertEquals(4.5, gradient[0], 1e-12);
      assertEquals(6, gradient[1], 1e-12);
      assertEquals(-1.5, gradient[2], 1e-12);
      assertEquals(-2, gradient[3], 1e-12);
      Evaluation evaluation = network.evaluate(samples);
      assertEquals(2.5, evaluation.meanLoss(), 1e-12);
      assertEquals(2.5, evaluation.meanSquaredError(), 1e-12);
      assertEquals(1, evaluation.meanAbsoluteError(), 1e-12);
      // Of the first output 1 - 9 / 0.5, of the second 1 - 1 / 0.5.
      assertEquals((-17 - 1) / 2.0, evaluation.explainedVariance(), 1e-12);
      assertEquals(evaluation, Evaluation.NONE.plus(evaluation));
    }
  }

  @Test
  void aLossFromJavaIsTheSame() {
    Loss.SampleLoss squares =
        (outputs, target, gradient) -> {
          double sum = 0;
          for (int i = 0; i < outputs.length; i++) {
            float difference = outputs[i] - target[i];
            gradient[i] = 2 * difference / outputs.length;
            sum += difference * difference;
          }
          return sum / outputs.length;
        };
    NetworkOptions own =
        NetworkOptions.DEFAULT.withLoss(Loss.perSample(Loss.Target.VALUES, squares));
    MemorySegment inputs = floats(1, 2, 3, 4);
    Samples samples = new Samples(inputs, floats(1, 0, 0, 1), 2);
    TrainingStep step = TrainingStep.of(new Seed(1), 0);
    try (Network one = Network.create(Engine.start(1), spec(), new Seed(1));
        Network other = Network.create(Engine.start(1), spec(), new Seed(1), own)) {
      assertEquals(one.forwardBackward(samples, step), other.forwardBackward(samples, step), 1e-6);
      for (int i = 0; i < one.gradients().size(); i++) {
        assertArrayEquals(
            Batches.numbers(one.gradients().get(i)),
            Batches.numbers(other.gradients().get(i)),
            1e-5);
      }
      assertEquals(one.evaluate(samples).meanLoss(), other.evaluate(samples).meanLoss(), 1e-6);
    }
  }

  private static MemorySegment floats(float... values) {
    return Arena.ofAuto().allocateFrom(ValueLayout.JAVA_FLOAT, values);
  }

  @Test
  void tooFewTargetsAreRefused() {
    try (Network network = Network.create(Engine.start(1), spec(), new Seed(1))) {
      Samples samples = new Samples(memory(1, 2), memory(1), 2);
      var e = assertThrows(IllegalArgumentException.class, () -> network.evaluate(samples));
      assertTrue(e.getMessage().startsWith("targets must be native memory"), e.getMessage());
    }
  }

  private static NetworkSpec spec() {
    NetworkBuilder builder = new NetworkBuilder(Shape.of(2));
    builder.add(new FullyConnected("out", 2));
    return builder.build(LossKind.MEAN_SQUARED_ERROR);
  }

  private static MemorySegment memory(double... values) {
    return Arena.ofAuto().allocateFrom(ValueLayout.JAVA_DOUBLE, values);
  }
}
