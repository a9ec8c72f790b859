package dev.tandem.nn.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.Engine;
import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.engine.Tensors;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.Window;
import dev.tandem.testkit.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
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
    List<Long> extents = shape.extents();
    Tensor images =
        Tensors.of(
            ScalarType.FLOAT,
            () -> 3 * random.nextGaussian(),
            samples,
            extents.get(0),
            extents.get(1),
            extents.get(2));
    return Torch.fast(images, ScalarType.BFLOAT16);
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
        try (Scope _ = new Scope()) {
          long samples = 1L + random.nextInt(3);
          Tensor input = images(random, samples, shape);
          assertTrue(VectorUnit.serves(input), "run with --add-modules jdk.incubator.vector");
          Layer ours = layer(spec, shape, ScalarType.BFLOAT16);
          Layer engine = layer(spec, shape, ScalarType.FLOAT);
          Layer.Pass actual = ours.forward(List.of(input), MODE);
          Layer.Pass expected = engine.forward(List.of(input.to(ScalarType.FLOAT)), MODE);
          String what = spec + " of " + shape;
          assertClose(expected.output(), actual.output(), what);
          Tensor gradient = images(random, samples, spec.output(List.of(shape)));
          assertClose(
              engine.backwardData(expected, gradient.to(ScalarType.FLOAT)).getFirst(),
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
    try (Scope _ = new Scope()) {
      Tensor input = images(random, 5, shape);
      for (LayerSpec spec : layers(random)) {
        Layer layer = layer(spec, shape, ScalarType.BFLOAT16);
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
          assertTrue(Tensors.same(output, pass.output()), spec + " by " + threads);
          assertTrue(Tensors.same(result, back), "gradient of " + spec + " by " + threads);
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
    try (Scope _ = new Scope()) {
      Tensor input = images(random, 3, shape);
      Tensors.fill(input.select(0, 1).select(1, 2), Double.NaN);
      Tensors.fill(input.select(0, 1).select(1, 3), -Double.NaN);
      Tensors.fill(input.select(0, 2).select(1, 0), Double.NEGATIVE_INFINITY);
      Tensors.fill(input.select(0, 2).select(1, 1), 0.0);
      Tensor gradient = images(random, 3, shape);
      Tensor expected = Functions.relu(input);
      Tensor back = Functions.reluBackward(gradient, expected);
      Layer layer = layer(Activation.relu("relu"), shape, ScalarType.BFLOAT16);
      Layer.Pass apart = layer.forward(List.of(input), MODE);
      assertSame(expected, apart.output());
      assertSame(back, layer.backwardData(apart, gradient).getFirst());
      Tensor copy = input.copy();
      Layer.Pass over = layer.forwardOver(List.of(copy), MODE);
      assertSame(expected, over.output());
      assertSame(expected, copy);
    }
  }

  private static void assertSame(Tensor expected, Tensor actual) {
    assertTrue(Tensors.same(expected, actual));
  }

  private static void assertClose(Tensor expected, Tensor actual, String what) {
    assertEquals(ScalarType.BFLOAT16, actual.type(), what);
    assertEquals(Shape.of(expected.sizes()), Shape.of(actual.sizes()), what);
    double largest = Tensors.largest(expected);
    double distance = Tensors.apart(expected, actual);
    assertTrue(distance <= ROUNDING * largest, what + ": " + distance + " of " + largest);
  }

  @Test
  void theMaximumHasTheSameBitsAndWhatIsNotANumberStays() {
    SplittableRandom random = TestSeed.of(VectorKernelsTest.class).random();
    Shape shape = Shape.of(32, 7, 7);
    MaxPool spec = new MaxPool("max", Window.of(3).withStride(2), true);
    try (Scope _ = new Scope()) {
      Tensor input = images(random, 2, shape);
      Tensor expected =
          layer(spec, shape, ScalarType.FLOAT)
              .forward(List.of(input.to(ScalarType.FLOAT)), MODE)
              .output();
      Layer ours = layer(spec, shape, ScalarType.BFLOAT16);
      Tensor actual = ours.forward(List.of(input), MODE).output();
      assertTrue(Tensors.same(expected, actual.to(ScalarType.FLOAT)));
      // Both signs: processors make negative ones.
      for (double sign : new double[] {1, -1}) {
        Tensor broken = input.copy();
        Tensors.fill(broken.select(0, 0).select(1, 3).select(1, 3), sign * Double.NaN);
        Tensor output = ours.forward(List.of(broken), MODE).output();
        double[] place = Tensors.numbers(output.select(0, 0).select(1, 1).select(1, 1));
        assertEquals(32, Arrays.stream(place).filter(Double::isNaN).count());
      }
    }
  }
}
