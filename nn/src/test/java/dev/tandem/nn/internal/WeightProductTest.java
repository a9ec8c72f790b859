package dev.tandem.nn.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.nn.Engine;
import dev.tandem.nn.spec.Window;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.LongArrayRefOptional;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class WeightProductTest {

  private static final long SEED = 20261115;

  @BeforeAll
  static void start() {
    Engine.start(1);
  }

  @Test
  void isTheEnginesGradientOnRandomShapes() {
    SplittableRandom random = new Seed(SEED).random();
    for (int round = 0; round < 40; round++) {
      int kernel = random.nextInt(1, 5);
      int stride = random.nextInt(1, 4);
      int padding = random.nextInt(0, kernel);
      long height = random.nextInt(kernel, 9);
      long width = random.nextInt(kernel, 9);
      long[] input = {random.nextInt(1, 4), random.nextInt(1, 6), height, width};
      long lines = (height + 2L * padding - kernel) / stride + 1;
      long columns = (width + 2L * padding - kernel) / stride + 1;
      long[] output = {input[0], random.nextInt(1, 6), lines, columns};
      Window window = Window.of(kernel).withStride(stride).withPadding(padding).over(2);
      String message = "seed %d, round %d: %s".formatted(SEED, round, window);
      try (PointerScope _ = new PointerScope();
          Arena arena = Arena.ofConfined()) {
        Tensor x = Torch.fast(drawn(arena, random, input));
        Tensor gradient = Torch.fast(drawn(arena, random, output));
        Tensor actual = new WeightProduct(window, 1).weightGradient(x, gradient);
        Tensor expected = byEngine(x, gradient, kernel, stride, padding);
        assertEquals(expected.numel(), actual.numel(), message);
        double difference = expected.sub(actual).abs().max().item_double();
        assertTrue(difference <= 1e-12, () -> message + ": differs by " + difference);
      }
    }
  }

  @Test
  void paysForManyFiltersOnFewPlacesInBfloat16() {
    WeightProduct product = new WeightProduct(Window.of(3).withPadding(1).over(2), 1);
    assertTrue(pays(product, ScalarType.BFloat16, 512, 4));
    assertFalse(pays(product, ScalarType.Float, 512, 4));
    assertFalse(pays(product, ScalarType.BFloat16, 64, 4));
    assertFalse(pays(product, ScalarType.BFloat16, 512, 16));
    assertFalse(
        pays(
            new WeightProduct(Window.of(3).withPadding(1).over(2), 2),
            ScalarType.BFloat16,
            512,
            4));
  }

  private static boolean pays(WeightProduct product, ScalarType type, long filters, long side) {
    try (PointerScope _ = new PointerScope()) {
      Tensor input = torch.zeros(1, 1, side, side).to(type);
      return product.pays(input, torch.zeros(1, filters, side, side).to(type));
    }
  }

  private static Tensor byEngine(Tensor x, Tensor gradient, int kernel, long stride, long padding) {
    Tensor weight = torch.zeros(gradient.size(1), x.size(1), kernel, kernel).to(ScalarType.Double);
    return Torch.own(
        torch
            .convolution_backward(
                gradient,
                x,
                weight,
                new LongArrayRefOptional(),
                new long[] {stride, stride},
                new long[] {padding, padding},
                new long[] {1, 1},
                false,
                new long[] {0, 0},
                1,
                Torch.mask(false, true, false))
            .get1());
  }

  private static Tensor drawn(Arena arena, SplittableRandom random, long[] extents) {
    long elements = 1;
    for (long extent : extents) {
      elements *= extent;
    }
    MemorySegment memory = arena.allocate(ValueLayout.JAVA_DOUBLE, elements);
    for (long i = 0; i < elements; i++) {
      memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, random.nextDouble() - 0.5);
    }
    return Torch.tensor(memory, DType.FLOAT64, extents).mul(new Scalar(1.0));
  }
}
