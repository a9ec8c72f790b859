package dev.tandem.nn.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.Engine;
import dev.tandem.nn.engine.Autograd;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.engine.Tensors;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every layer's passes against finite differences and against the engine's own autograd. */
class LayerTest {

  private static final int BATCH = 3;
  private static final int ROUNDS = 3;
  private static final int CHECKED = 12; // elements of each tensor, by finite differences
  private static final Mode MODE = new Mode(true, new Seed(5), 7, 100, BATCH);

  @BeforeAll
  static void startEngine() {
    Engine.start(1);
  }

  /** A layer with random parameters, inputs and gradient behind it. */
  private record Trial(
      LayerCases drawn, Layer layer, List<Tensor> inputs, List<Tensor> weights, Tensor gradient) {

    static Trial of(LayerCases drawn, SplittableRandom random, ScalarType type, boolean leaves) {
      List<Tensor> inputs = new ArrayList<>();
      for (Shape shape : drawn.inputs()) {
        inputs.add(leaf(Torch.fast(random(random, batch(shape), type)), leaves));
      }
      List<Tensor> weights = new ArrayList<>();
      for (ParameterSpec parameter : drawn.layer().parameters(drawn.inputs())) {
        weights.add(leaf(random(random, parameter.shape().toArray(), type), leaves));
      }
      List<Tensor> buffers = new ArrayList<>();
      for (ParameterSpec buffer : drawn.layer().buffers(drawn.inputs())) {
        buffers.add(Tensor.zeros(type, buffer.shape().toArray()));
      }
      Layer layer =
          Layers.of(
              drawn.layer(),
              drawn.inputs(),
              new LayerTensors(
                  weights,
                  buffers,
                  type,
                  random.nextBoolean(),
                  new Workspace(),
                  new TransferTime()));
      Shape output = drawn.layer().output(drawn.inputs());
      return new Trial(
          drawn, layer, inputs, weights, Torch.fast(random(random, batch(output), type)));
    }

    /** What a loss of which {@code gradient} is the gradient would be. */
    double loss() {
      return layer.forward(inputs, MODE).output().mul(gradient).sum().item();
    }

    private static Tensor leaf(Tensor tensor, boolean leaf) {
      return leaf ? Autograd.leaf(tensor) : tensor;
    }
  }

  /** A kind of layer that is new must be drawn too. */
  @Test
  void everyKindOfLayerIsTested() {
    Set<Class<?>> drawn = new HashSet<>();
    LayerCases.draw(new SplittableRandom(1)).forEach(each -> drawn.add(each.layer().getClass()));
    drawn.add(Exchange.class); // its tests need several ranks: module parallel has them
    assertEquals(Set.of(LayerSpec.class.getPermittedSubclasses()), drawn);
  }

  @Test
  void backwardAgreesWithFiniteDifferences() {
    SplittableRandom random = TestSeed.of(LayerTest.class).random();
    int checked = 0;
    int kinks = 0;
    for (int round = 0; round < ROUNDS; round++) {
      for (LayerCases drawn : LayerCases.draw(random)) {
        try (Scope _ = new Scope()) {
          Trial trial = Trial.of(drawn, random, ScalarType.DOUBLE, false);
          List<Tensor> variables = new ArrayList<>(trial.inputs());
          variables.addAll(trial.weights());
          List<Tensor> gradients = gradients(trial);
          for (int v = 0; v < variables.size(); v++) {
            for (int i = 0; i < CHECKED; i++) {
              long element = random.nextLong(variables.get(v).numel());
              double coarse = difference(trial, variables.get(v), element, 1e-5);
              double fine = difference(trial, variables.get(v), element, 5e-6);
              checked++;
              if (Math.abs(coarse - fine) > 1e-6) {
                kinks++; // A maximum switches within the step: no derivative to compare with.
                continue;
              }
              double actual =
                  laidOutAs(gradients.get(v), variables.get(v))
                      .memory()
                      .getAtIndex(ValueLayout.JAVA_DOUBLE, element);
              assertEquals(fine, actual, 1e-6, drawn + " variable " + v + " element " + element);
            }
          }
        }
      }
    }
    assertTrue(checked > 1_000 && kinks < checked / 50, kinks + " kinks of " + checked);
  }

  /** A rank may have none of a batch's samples. */
  @Test
  void batchesWithoutSamples() {
    Mode mode = new Mode(true, new Seed(5), 7, 100, BATCH);
    for (LayerCases drawn : LayerCases.draw(TestSeed.of(LayerTest.class).random())) {
      if (drawn.layer() instanceof BatchNorm) {
        continue; // has no statistics unless other ranks have samples
      }
      try (Scope _ = new Scope()) {
        Trial trial = Trial.of(drawn, new SplittableRandom(1), ScalarType.FLOAT, false);
        List<Tensor> inputs =
            trial.inputs().stream().map(input -> Torch.fast(input.narrow(0, 0, 0))).toList();
        Layer.Pass pass = trial.layer().forward(inputs, mode);
        Tensor gradient = Torch.fast(trial.gradient().narrow(0, 0, 0));
        assertEquals(Shape.of(gradient.sizes()), Shape.of(pass.output().sizes()), drawn.toString());
        List<Tensor> gradients = trial.weights().stream().map(each -> each.fullLike(7)).toList();
        List<Tensor> back =
            trial.layer().backward(pass, gradient, new GradientSink(gradients, false), () -> {});
        for (int i = 0; i < back.size(); i++) {
          assertEquals(Shape.of(inputs.get(i).sizes()), Shape.of(back.get(i).sizes()));
        }
        gradients.forEach(each -> assertEquals(0, Tensors.largest(each), drawn.toString()));
      }
    }
  }

  @Test
  void passesAgreeWithAutograd() {
    SplittableRandom random = TestSeed.of(LayerTest.class).random();
    for (ScalarType type : List.of(ScalarType.DOUBLE, ScalarType.FLOAT)) {
      for (int round = 0; round < ROUNDS; round++) {
        for (LayerCases drawn : LayerCases.draw(random)) {
          SplittableRandom values = random.split();
          try (Scope _ = new Scope()) {
            // Two trials with the same numbers, one of which the engine keeps track of.
            long seed = values.nextLong();
            Trial apart = Trial.of(drawn, new SplittableRandom(seed), type, false);
            Trial whole = Trial.of(drawn, new SplittableRandom(seed), type, true);
            List<Tensor> leaves = new ArrayList<>(whole.inputs());
            leaves.addAll(whole.weights());
            Tensor output =
                Autograd.tracked(() -> whole.layer().forward(whole.inputs(), MODE).output());
            assertEquals(
                Shape.of(output.sizes()),
                Shape.of(batch(drawn.layer().output(drawn.inputs()))),
                drawn.toString());
            List<Tensor> expected = Autograd.gradients(output, leaves, whole.gradient());
            List<Tensor> actual = gradients(apart);
            for (int i = 0; i < leaves.size(); i++) {
              String what = drawn + " " + type + " variable " + i;
              if (type == ScalarType.FLOAT && !close(expected.get(i), actual.get(i))) {
                Trial exact = Trial.of(drawn, new SplittableRandom(seed), ScalarType.DOUBLE, false);
                assertAsGood(expected.get(i), actual.get(i), gradients(exact).get(i), what);
              } else {
                assertClose(expected.get(i), actual.get(i), what);
              }
            }
          }
        }
      }
    }
  }

  @Test
  void bothBackwardPassesAtOnceGiveTheSameBits() {
    SplittableRandom random = TestSeed.of(LayerTest.class).random();
    for (LayerCases drawn : LayerCases.draw(random)) {
      try (Scope _ = new Scope()) {
        Trial trial = Trial.of(drawn, random, ScalarType.FLOAT, false);
        List<Tensor> expected = gradients(trial);
        List<Tensor> weights = trial.weights().stream().map(Tensor::zerosLike).toList();
        Layer.Pass pass = trial.layer().forward(trial.inputs(), MODE);
        int[] told = {0};
        List<Tensor> actual =
            new ArrayList<>(
                trial
                    .layer()
                    .backward(
                        pass, trial.gradient(), new GradientSink(weights, false), () -> told[0]++));
        actual.addAll(weights);
        assertEquals(1, told[0]);
        for (int i = 0; i < actual.size(); i++) {
          assertTrue(Tensors.same(expected.get(i), actual.get(i)), drawn + " variable " + i);
        }
      }
    }
  }

  @Test
  void gradientsAddUpInTheSink() {
    SplittableRandom random = TestSeed.of(LayerTest.class).random();
    for (LayerCases drawn : LayerCases.draw(random)) {
      try (Scope _ = new Scope()) {
        Trial trial = Trial.of(drawn, random, ScalarType.DOUBLE, false);
        Layer.Pass pass = trial.layer().forward(trial.inputs(), MODE);
        List<Tensor> once = trial.weights().stream().map(Tensor::zerosLike).toList();
        List<Tensor> twice = trial.weights().stream().map(Tensor::zerosLike).toList();
        trial.layer().backwardWeights(pass, trial.gradient(), new GradientSink(once, false));
        trial.layer().backwardWeights(pass, trial.gradient(), new GradientSink(twice, true));
        trial.layer().backwardWeights(pass, trial.gradient(), new GradientSink(twice, true));
        for (int i = 0; i < once.size(); i++) {
          assertClose(once.get(i).mul(2), twice.get(i), drawn.toString());
        }
      }
    }
  }

  /** By each input, then by each parameter. */
  private static List<Tensor> gradients(Trial trial) {
    Layer.Pass pass = trial.layer().forward(trial.inputs(), MODE);
    List<Tensor> gradients = new ArrayList<>(trial.layer().backwardData(pass, trial.gradient()));
    List<Tensor> weights = trial.weights().stream().map(Tensor::zerosLike).toList();
    trial.layer().backwardWeights(pass, trial.gradient(), new GradientSink(weights, false));
    gradients.addAll(weights);
    return gradients;
  }

  private static double difference(Trial trial, Tensor variable, long element, double step) {
    MemorySegment memory = variable.memory();
    double value = memory.getAtIndex(ValueLayout.JAVA_DOUBLE, element);
    memory.setAtIndex(ValueLayout.JAVA_DOUBLE, element, value + step);
    double above = trial.loss();
    memory.setAtIndex(ValueLayout.JAVA_DOUBLE, element, value - step);
    double below = trial.loss();
    memory.setAtIndex(ValueLayout.JAVA_DOUBLE, element, value);
    return (above - below) / (2 * step);
  }

  /** The gradient with its elements in the order in memory of the variable. */
  private static Tensor laidOutAs(Tensor gradient, Tensor variable) {
    return variable.zerosLike().copy_(gradient);
  }

  private static void assertClose(Tensor expected, Tensor actual, String what) {
    assertTrue(
        close(expected, actual),
        () ->
            what
                + ": off by "
                + Tensors.apart(expected, actual)
                + " of "
                + Tensors.largest(expected));
  }

  /**
   * Where terms cancel in float32, the engine itself is that far from the exact gradient: ours may
   * be no worse than it by much.
   */
  private static void assertAsGood(Tensor engine, Tensor ours, Tensor exact, String what) {
    double error = Tensors.apart(exact, ours);
    double engineError = Tensors.apart(exact, engine);
    assertTrue(
        error <= 3 * engineError + 1e-6 * Tensors.largest(exact),
        what + ": off by " + error + " from float64, the engine by " + engineError);
  }

  private static boolean close(Tensor expected, Tensor actual) {
    return Tensors.apart(expected, actual) <= 1e-6 * Tensors.largest(expected);
  }

  private static long[] batch(Shape sample) {
    long[] extents = new long[sample.extents().size() + 1];
    extents[0] = BATCH;
    System.arraycopy(sample.toArray(), 0, extents, 1, extents.length - 1);
    return extents;
  }

  /** Numbers that are the same in float32 and in float64. */
  private static Tensor random(SplittableRandom random, long[] extents, ScalarType type) {
    return Tensors.of(type, () -> (float) (2 * random.nextDouble() - 1), extents);
  }
}
