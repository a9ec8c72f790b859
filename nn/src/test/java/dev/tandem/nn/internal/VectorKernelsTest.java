package dev.tandem.nn.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.Engine;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.Window;
import dev.tandem.testkit.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the vector unit computes in bfloat16 is what the engine computes in float32, rounded. */
class VectorKernelsTest {

  private static final Mode MODE = new Mode(true, new Seed(5), 7, 100);
  private static final int ROUNDS = 10;

  /** Half of the last bit of bfloat16, three times: two saved tensors and the result. */
  private static final double ROUNDING = 3.0 / 256;

  @BeforeAll
  static void startEngine() {
    Engine.start(1);
  }

  private static Layer layer(LayerSpec spec, Shape input, ScalarType type) {
    return Layers.of(spec, List.of(input), new LayerTensors(List.of(), List.of(), type));
  }

  private static Tensor images(SplittableRandom random, long samples, Shape shape) {
    float[] values = new float[(int) (samples * shape.elements())];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) (3 * random.nextGaussian());
    }
    Tensor images =
        torch
            .tensor(values)
            .reshape(
                samples, shape.extents().get(0), shape.extents().get(1), shape.extents().get(2));
    return Torch.fast(images, ScalarType.BFloat16);
  }

  private static List<LayerSpec> layers(SplittableRandom random) {
    Window window =
        Window.of(2 + random.nextInt(2))
            .withStride(1 + random.nextInt(3))
            .withPadding(random.nextInt(2));
    List<LayerSpec> layers = new ArrayList<>();
    layers.add(new MaxPool("max", window, random.nextBoolean()));
    layers.add(Activation.relu("relu"));
    layers.add(new AveragePool("mean", window, random.nextBoolean()));
    int size = 1 + 2 * random.nextInt(3);
    double k = 1 + random.nextDouble();
    layers.add(new LocalResponseNorm("norm", size, 0.3, 0.75, k, LocalResponseNorm.Across.SPACE));
    return layers;
  }

  @Test
  void passesAgreeWithTheEngine() {
    SplittableRandom random = TestSeed.of(VectorKernelsTest.class).random();
    for (int round = 0; round < ROUNDS; round++) {
      Shape shape =
          Shape.of(32L * (1 + random.nextInt(2)), 5L + random.nextInt(6), 5L + random.nextInt(6));
      for (LayerSpec spec : layers(random)) {
        try (PointerScope _ = new PointerScope()) {
          long samples = 1L + random.nextInt(3);
          Tensor input = images(random, samples, shape);
          assertTrue(VectorUnit.serves(input), "run with --add-modules jdk.incubator.vector");
          Layer ours = layer(spec, shape, ScalarType.BFloat16);
          Layer engine = layer(spec, shape, ScalarType.Float);
          Layer.Pass actual = ours.forward(List.of(input), MODE);
          Layer.Pass expected = engine.forward(List.of(input.to(ScalarType.Float)), MODE);
          String what = spec + " of " + shape;
          assertClose(expected.output(), actual.output(), what);
          Tensor gradient = images(random, samples, spec.output(List.of(shape)));
          assertClose(
              engine.backwardData(expected, gradient.to(ScalarType.Float)).getFirst(),
              ours.backwardData(actual, gradient).getFirst(),
              "gradient of " + what);
        }
      }
    }
  }

  @Test
  void theBitsDoNotDependOnTheThreads() {
    SplittableRandom random = TestSeed.of(VectorKernelsTest.class).random();
    Shape shape = Shape.of(32, 9, 8);
    try (PointerScope _ = new PointerScope()) {
      Tensor input = images(random, 5, shape);
      for (LayerSpec spec : layers(random)) {
        Layer layer = layer(spec, shape, ScalarType.BFloat16);
        Tensor gradient = images(random, 5, spec.output(List.of(shape)));
        Tensor output = null;
        Tensor result = null;
        for (int threads : new int[] {1, 2, 3, 8}) {
          Engine.start(threads);
          assertTrue(VectorUnit.serves(input), "the engine's threads can be had");
          Layer.Pass pass = layer.forward(List.of(input), MODE);
          Tensor back = layer.backwardData(pass, gradient).getFirst();
          output = output == null ? pass.output() : output;
          result = result == null ? back : result;
          assertTrue(torch.equal(output, pass.output()), spec + " by " + threads);
          assertTrue(torch.equal(result, back), "gradient of " + spec + " by " + threads);
        }
      }
    } finally {
      Engine.start(1);
    }
  }

  @Test
  void allPartsAreDoneOnceAndFailuresAreTold() {
    Engine.start(3);
    try {
      for (long samples : new long[] {1, 2, 3, 64, 100}) {
        AtomicIntegerArray done = new AtomicIntegerArray((int) samples);
        VectorUnit.share(
            samples,
            (begin, end) -> {
              for (long sample = begin; sample < end; sample++) {
                done.incrementAndGet((int) sample);
              }
            });
        for (int i = 0; i < samples; i++) {
          assertEquals(1, done.get(i), "sample " + i + " of " + samples);
        }
      }
      IllegalStateException failure =
          assertThrows(
              IllegalStateException.class,
              () ->
                  VectorUnit.share(
                      3,
                      (begin, _) -> {
                        if (begin == 2) {
                          throw new IllegalStateException("the last");
                        }
                      }));
      assertEquals("the last", failure.getMessage());
    } finally {
      Engine.start(1);
    }
  }

  @Test
  void theSameBitsAsTheEnginesReluAndInPlace() {
    SplittableRandom random = TestSeed.of(VectorKernelsTest.class).random();
    Shape shape = Shape.of(32, 5, 7);
    try (PointerScope _ = new PointerScope()) {
      Tensor input = images(random, 3, shape);
      input.select(0, 1).select(1, 2).fill_(new Scalar(Double.NaN));
      input.select(0, 1).select(1, 3).fill_(new Scalar(-Double.NaN));
      input.select(0, 2).select(1, 0).fill_(new Scalar(Double.NEGATIVE_INFINITY));
      input.select(0, 2).select(1, 1).fill_(new Scalar(0.0));
      Tensor gradient = images(random, 3, shape);
      Tensor expected = torch.relu(input);
      Tensor back = torch.threshold_backward(gradient, expected, new Scalar(0.0));
      Layer layer = layer(Activation.relu("relu"), shape, ScalarType.BFloat16);
      Layer.Pass apart = layer.forward(List.of(input), MODE);
      assertSame(expected, apart.output());
      assertSame(back, layer.backwardData(apart, gradient).getFirst());
      Tensor copy = input.clone();
      Layer.Pass over = layer.forwardOver(List.of(copy), MODE);
      assertSame(expected, over.output());
      assertSame(expected, copy);
    }
  }

  /** Equal numbers, and the same elements that are not a number. */
  private static void assertSame(Tensor expected, Tensor actual) {
    assertTrue(torch.equal(expected.isnan(), actual.isnan()));
    assertTrue(torch.equal(torch.nan_to_num(expected), torch.nan_to_num(actual)));
  }

  private static void assertClose(Tensor expected, Tensor actual, String what) {
    assertEquals(ScalarType.BFloat16, Torch.type(actual), what);
    assertEquals(
        Shape.of(expected.sizes().vec().get()), Shape.of(actual.sizes().vec().get()), what);
    double largest = expected.abs().max().item_double();
    double distance = expected.sub(actual.to(ScalarType.Float)).abs().max().item_double();
    assertTrue(distance <= ROUNDING * largest, what + ": " + distance + " of " + largest);
  }

  @Test
  void theMaximumHasTheSameBitsAndWhatIsNotANumberStays() {
    SplittableRandom random = TestSeed.of(VectorKernelsTest.class).random();
    Shape shape = Shape.of(32, 7, 7);
    MaxPool spec = new MaxPool("max", Window.of(3).withStride(2), true);
    try (PointerScope _ = new PointerScope()) {
      Tensor input = images(random, 2, shape);
      Tensor expected =
          layer(spec, shape, ScalarType.Float)
              .forward(List.of(input.to(ScalarType.Float)), MODE)
              .output();
      Layer ours = layer(spec, shape, ScalarType.BFloat16);
      Tensor actual = ours.forward(List.of(input), MODE).output();
      assertTrue(torch.equal(expected, actual.to(ScalarType.Float)));
      // Both signs: processors make negative ones.
      for (double sign : new double[] {1, -1}) {
        Tensor broken = input.clone();
        broken.select(0, 0).select(1, 3).select(1, 3).fill_(new Scalar(sign * Double.NaN));
        Tensor output = ours.forward(List.of(broken), MODE).output();
        assertEquals(32, output.select(0, 0).select(1, 1).select(1, 1).isnan().sum().item_long());
      }
    }
  }
}
