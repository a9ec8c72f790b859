package dev.tandem.nn.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.Engine;
import dev.tandem.nn.LayerBytes;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Concatenation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerNorm;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.spec.Positions;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.nn.spec.TokenMean;
import dev.tandem.nn.spec.Tokens;
import dev.tandem.nn.spec.Window;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the passes of each kind of layer make is what the engine counts. */
class LayerBytesTest {

  private static final int SAMPLES = 12;

  /** Tensors with a number for each channel, token or sample are not in the formulas. */
  private static final double SMALL = 48 << 10;

  record Case(LayerSpec layer, List<Shape> inputs) {}

  private static Case of(LayerSpec layer, Shape input) {
    return new Case(layer, List.of(input));
  }

  private static List<Case> cases() {
    Shape image = Shape.of(48, 20, 24);
    Shape volume = Shape.of(16, 12, 10, 8);
    Shape grey = Shape.of(1, 64, 64);
    Shape many = Shape.of(256, 4, 4);
    Shape sequence = Shape.of(128, 96);
    List<Case> cases = new ArrayList<>();
    for (Activation.Function function : Activation.Function.values()) {
      double slope = function == Activation.Function.LEAKY_RELU ? 0.2 : 0;
      cases.add(of(new Activation("act", function, slope), image));
    }
    cases.add(new Case(new Add("sum"), List.of(image, image)));
    cases.add(new Case(new Add("sum"), List.of(image, image, image, image)));
    cases.add(of(new AveragePool("mean", Window.of(3).withStride(2), false), image));
    cases.add(of(new BatchNorm("norm"), image));
    cases.add(new Case(new Concatenation("all"), List.of(image, image)));
    cases.add(of(new Convolution("conv", 64, 3, 1, 1), image));
    cases.add(of(new Convolution("conv", 64, 1, 2, 0), image));
    cases.add(of(new Convolution("conv", 64, 5, 1, 2), grey));
    cases.add(of(new Convolution("conv", 640, 3, 1, 1), many));
    cases.add(of(new Convolution("conv", 640, 1, 1, 0), many));
    cases.add(of(new Convolution("conv", 640, 3, 2, 1), Shape.of(256, 14, 14)));
    cases.add(of(new Convolution("conv", 16, Window.of(3).withPadding(1)), volume));
    cases.add(of(new Dropout("drop", 0.4), image));
    cases.add(of(new Dropout("drop", 0.4), Shape.of(20_000)));
    cases.add(of(new Flatten("row"), image));
    cases.add(of(new Flatten("row"), grey));
    cases.add(of(new FullyConnected("full", 900), Shape.of(1500)));
    cases.add(of(new FullyConnected("full", 200), sequence));
    cases.add(of(GlobalPool.average("mean"), image));
    cases.add(of(GlobalPool.max("max"), volume));
    cases.add(of(new GroupNorm("norm", 6), image));
    cases.add(of(new LayerNorm("norm", 1e-5), sequence));
    for (LocalResponseNorm.Across across : LocalResponseNorm.Across.values()) {
      for (double beta : new double[] {0.75, 1}) {
        cases.add(of(new LocalResponseNorm("local", 5, 0.3, beta, 1.5, across), image));
      }
    }
    cases.add(of(new MaxPool("max", Window.of(3).withStride(2), false), image));
    cases.add(of(new MaxPool("max", Window.of(2), false), volume));
    cases.add(of(new Positions("places"), sequence));
    cases.add(of(new SelfAttention("attention", 4), sequence));
    cases.add(of(new SelfAttention("attention", 3, 16, false), sequence));
    cases.add(of(new TokenMean("mean"), sequence));
    cases.add(of(new Tokens("tokens"), image));
    return cases;
  }

  private static Stream<Arguments> casesAndTypes() {
    return cases().stream()
        .flatMap(
            each ->
                Stream.of(DType.FLOAT32, DType.FLOAT64, DType.BFLOAT16)
                    .filter(type -> runs(each, type))
                    .flatMap(
                        type ->
                            Stream.of(true, false).map(stay -> Arguments.of(each, type, stay))));
  }

  /** Some builds of libtorch cannot pool volumes of bfloat16. */
  private static boolean runs(Case what, DType type) {
    return type != DType.BFLOAT16 || what.inputs.getFirst().extents().size() != 4;
  }

  @ParameterizedTest
  @MethodSource("casesAndTypes")
  void passesMakeWhatTheFormulaSays(Case what, DType activations, boolean stay) {
    DType parameters = activations == DType.BFLOAT16 ? DType.FLOAT32 : activations;
    Engine engine = Engine.start(1);
    LayerBytes expected =
        LayerBytes.of(
            what.layer,
            what.inputs,
            new LayerBytes.Use(parameters, activations, SAMPLES, SAMPLES, stay, false, false));
    try (Arena arena = engine.arena();
        Scope _ = new Scope()) {
      List<ParameterSpec> specs = what.layer.parameters(what.inputs);
      FlatTensors weights = new FlatTensors(arena, "", parameters, specs);
      FlatTensors gradients = new FlatTensors(arena, "", parameters, specs);
      FlatTensors buffers = new FlatTensors(arena, "", parameters, what.layer.buffers(what.inputs));
      Layer layer =
          Layers.of(
              what.layer,
              what.inputs,
              new LayerTensors(
                  weights.tensors(),
                  buffers.tensors(),
                  ScalarType.of(activations),
                  stay,
                  new Workspace(),
                  new TransferTime()));
      List<Tensor> inputs = what.inputs.stream().map(each -> random(activations, each)).toList();
      Mode mode = new Mode(true, new Seed(1), 0, 0, SAMPLES);
      Layer.Pass[] pass = new Layer.Pass[1];
      long kept = expected.output() + expected.saved();
      assertMakes(
          engine, kept + expected.forward(), () -> pass[0] = layer.forward(inputs, mode).keep());
      Tensor gradient = random(activations, what.layer.output(what.inputs));
      GradientSink sink = new GradientSink(gradients.tensors(), false);
      long byInputs =
          expected.ownGradients()
              ? what.inputs.stream().mapToLong(Shape::elements).sum()
                  * SAMPLES
                  * activations.bytes()
              : 0;
      assertMakes(engine, byInputs + expected.data(), () -> layer.backwardData(pass[0], gradient));
      if (!specs.isEmpty()) {
        assertMakes(
            engine, expected.weights(), () -> layer.backwardWeights(pass[0], gradient, sink));
        assertMakes(
            engine,
            byInputs + expected.both(),
            () -> layer.backward(pass[0], gradient, sink, () -> {}));
      }
      long before = engine.memory().current();
      pass[0].release();
      assertEquals((double) kept, (double) (before - engine.memory().current()), SMALL, "kept");
      weights.close();
      gradients.close();
      buffers.close();
    }
  }

  private static Tensor random(DType type, Shape sample) {
    long[] extents = new long[sample.extents().size() + 1];
    extents[0] = SAMPLES;
    System.arraycopy(sample.toArray(), 0, extents, 1, extents.length - 1);
    return Torch.fastEmpty(ScalarType.of(type), extents).fill_(0.5);
  }

  private static void assertMakes(Engine engine, long bytes, Runnable pass) {
    long before = engine.memory().current();
    engine.resetPeak();
    try (Scope _ = new Scope()) {
      pass.run();
    }
    long made = engine.memory().peak() - before;
    assertEquals((double) bytes, (double) made, SMALL + 0.001 * (double) bytes);
  }
}
