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
import java.util.stream.LongStream;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.LongArrayRefOptional;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.T_TensorTensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ConvolutionProductTest {

  private static final long SEED = 20261115;

  @BeforeAll
  static void start() {
    Engine.start(1);
  }

  @Test
  void isTheEnginesConvolutionOnRandomShapes() {
    SplittableRandom random = new Seed(SEED).random();
    for (int round = 0; round < 40; round++) {
      int kernel = random.nextInt(1, 5);
      int stride = random.nextInt(1, 4);
      int padding = random.nextInt(0, kernel);
      long height = random.nextInt(kernel, 9);
      long width = random.nextInt(kernel, 9);
      long[] input = {random.nextInt(1, 4), random.nextInt(1, 6), height, width};
      int filters = random.nextInt(1, 6);
      Window window = Window.of(kernel).withStride(stride).withPadding(padding).over(2);
      String message = "seed %d, round %d: %s".formatted(SEED, round, window);
      try (PointerScope _ = new PointerScope();
          Arena arena = Arena.ofConfined()) {
        Tensor x = Torch.fast(drawn(arena, random, input));
        Tensor weight = Torch.fast(drawn(arena, random, filters, input[1], kernel, kernel));
        ConvolutionProduct product = new ConvolutionProduct(window, filters, 1);
        Tensor output = byEngine(x, weight, stride, padding);
        assertEqual(message + " forward", output, product.forward(x, weight));
        Tensor gradient = Torch.fast(drawn(arena, random, extents(output)));
        T_TensorTensorTensor_T back = backByEngine(x, weight, gradient, stride, padding);
        assertEqual(message + " data", back.get0(), product.dataGradient(x, weight, gradient));
        assertEqual(message + " weights", back.get1(), product.weightGradient(x, gradient));
      }
    }
  }

  @Test
  void paysForManyFiltersOnFewPlaces() {
    assertTrue(pays(ScalarType.Float, 512, 8));
    assertFalse(pays(ScalarType.Float, 512, 16));
    assertFalse(pays(ScalarType.Float, 256, 4));
    assertTrue(pays(ScalarType.BFloat16, 512, 4));
    assertFalse(pays(ScalarType.BFloat16, 512, 8));
    assertFalse(pays(ScalarType.Double, 512, 4));
  }

  @Test
  void paysMoreOftenForTheGradientOfBfloat16Weights() {
    try (PointerScope _ = new PointerScope()) {
      Tensor input = torch.zeros(1, 1, 8, 8).to(ScalarType.BFloat16);
      assertTrue(threeByThree(256, 1).paysForWeights(input));
      assertFalse(threeByThree(64, 1).paysForWeights(input));
      assertFalse(threeByThree(256, 2).paysForWeights(input));
    }
  }

  private static boolean pays(ScalarType type, int filters, long side) {
    try (PointerScope _ = new PointerScope()) {
      return threeByThree(filters, 1).pays(torch.zeros(1, 1, side, side).to(type));
    }
  }

  private static ConvolutionProduct threeByThree(int filters, int groups) {
    return new ConvolutionProduct(Window.of(3).withPadding(1).over(2), filters, groups);
  }

  private static void assertEqual(String message, Tensor expected, Tensor actual) {
    assertEquals(expected.numel(), actual.numel(), message);
    double difference = expected.sub(actual).abs().max().item_double();
    assertTrue(difference <= 1e-12, () -> message + ": differs by " + difference);
  }

  private static Tensor byEngine(Tensor x, Tensor weight, long stride, long padding) {
    return torch.convolution(
        x,
        weight,
        new TensorOptional(),
        new long[] {stride, stride},
        new long[] {padding, padding},
        new long[] {1, 1},
        false,
        new long[] {0, 0},
        1);
  }

  private static T_TensorTensorTensor_T backByEngine(
      Tensor x, Tensor weight, Tensor gradient, long stride, long padding) {
    return torch.convolution_backward(
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
        Torch.mask(true, true, false));
  }

  private static long[] extents(Tensor tensor) {
    return LongStream.range(0, tensor.dim()).map(tensor::size).toArray();
  }

  private static Tensor drawn(Arena arena, SplittableRandom random, long... extents) {
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
