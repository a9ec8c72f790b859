package dev.tandem.nn.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.nn.Engine;
import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Functions.Three;
import dev.tandem.nn.engine.Libtorch;
import dev.tandem.nn.engine.Mask;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.engine.Tensors;
import dev.tandem.nn.engine.Windows;
import dev.tandem.nn.internal.ConvolutionProduct.Input;
import dev.tandem.nn.spec.Window;
import java.util.SplittableRandom;
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
      try (Scope _ = new Scope()) {
        Tensor x = Torch.fast(drawn(random, input));
        Tensor weight = Torch.fast(drawn(random, filters, input[1], kernel, kernel));
        ConvolutionProduct product = new ConvolutionProduct(window, filters, 1);
        Tensor output = byEngine(x, weight, stride, padding);
        assertEqual(message + " forward", output, product.forward(x, weight));
        Tensor gradient = Torch.fast(drawn(random, output.sizes()));
        Three back = backByEngine(x, weight, gradient, stride, padding);
        assertEqual(message + " data", back.first(), product.dataGradient(x, weight, gradient));
        assertEqual(message + " weights", back.second(), product.weightGradient(x, gradient));
      }
    }
  }

  /** A part of the batch at a time where what the kernel sees is large. */
  @Test
  void partsOfABatchGiveTheSame() {
    SplittableRandom random = new Seed(SEED).random();
    Window window = Window.of(3).withPadding(1).over(2);
    try (Scope _ = new Scope()) {
      Tensor x = Torch.fast(drawn(random, 5, 16, 64, 60)); // two samples at a time
      Tensor weight = Torch.fast(drawn(random, 4, 16, 3, 3));
      Tensor gradient = Torch.fast(drawn(random, 5, 4, 64, 60));
      ConvolutionProduct product = new ConvolutionProduct(window, 4, 1);
      assertEqual("forward", byEngine(x, weight, 1, 1), product.forward(x, weight));
      Three back = backByEngine(x, weight, gradient, 1, 1);
      assertEqual("data", back.first(), product.dataGradient(x, weight, gradient));
      Tensor weights = product.weightGradient(x, gradient);
      assertTrue(Tensors.apart(back.second(), weights) < 1e-9, "weights");
    }
  }

  @Test
  void paysForManyFiltersOnFewPlaces() {
    assertTrue(pays(ScalarType.FLOAT, 512, 4));
    assertFalse(pays(ScalarType.FLOAT, 512, 16));
    assertFalse(pays(ScalarType.FLOAT, 256, 4));
    assertTrue(pays(ScalarType.BFLOAT16, 512, 4));
    assertFalse(pays(ScalarType.BFLOAT16, 512, 8));
    assertFalse(pays(ScalarType.DOUBLE, 512, 4));
  }

  @Test
  void paysMoreOftenForTheGradientOfBfloat16Weights() {
    try (Scope _ = new Scope()) {
      Tensor input = Tensor.zeros(ScalarType.BFLOAT16, 1, 1, 8, 8);
      assertTrue(threeByThree(256, 1).paysForWeights(Input.of(input)));
      assertFalse(threeByThree(64, 1).paysForWeights(Input.of(input)));
      assertFalse(threeByThree(256, 2).paysForWeights(Input.of(input)));
    }
  }

  /** Both ways are products then, and ours takes several samples at once. */
  @Test
  void paysMoreOftenWithoutOneDnn() {
    try (Scope _ = new Scope()) {
      Tensor colours = Tensor.zeros(ScalarType.FLOAT, 1, 3, 32, 32);
      Tensor grey = Tensor.zeros(ScalarType.FLOAT, 1, 1, 32, 32);
      boolean products = !Libtorch.usesOneDnn();
      assertEquals(products, threeByThree(64, 1).paysForWeights(Input.of(colours)));
      assertEquals(products, threeByThree(64, 1).paysForward(Input.of(colours)));
      assertFalse(threeByThree(64, 1).paysForData(Input.of(colours)));
      assertFalse(threeByThree(64, 1).paysForward(Input.of(grey)));
      assertFalse(threeByThree(64, 3).paysForWeights(Input.of(colours)));
    }
  }

  private static boolean pays(ScalarType type, int filters, long side) {
    try (Scope _ = new Scope()) {
      return threeByThree(filters, 1).paysForward(Input.of(Tensor.zeros(type, 1, 1, side, side)));
    }
  }

  private static ConvolutionProduct threeByThree(int filters, int groups) {
    return new ConvolutionProduct(Window.of(3).withPadding(1).over(2), filters, groups);
  }

  private static void assertEqual(String message, Tensor expected, Tensor actual) {
    assertEquals(expected.numel(), actual.numel(), message);
    double difference = Tensors.apart(expected, actual);
    assertTrue(difference <= 1e-12, () -> message + ": differs by " + difference);
  }

  private static Tensor byEngine(Tensor x, Tensor weight, long stride, long padding) {
    return Functions.convolution(x, weight, null, windows(stride, padding), 1);
  }

  private static Three backByEngine(
      Tensor x, Tensor weight, Tensor gradient, long stride, long padding) {
    return Functions.convolutionBackward(
        gradient, x, weight, new long[] {weight.size(0)}, windows(stride, padding), 1, Mask.ALL);
  }

  private static Windows windows(long stride, long padding) {
    long[] unused = {0, 0}; // the weights tell the size
    return new Windows(
        unused, new long[] {stride, stride}, new long[] {padding, padding}, new long[] {1, 1});
  }

  private static Tensor drawn(SplittableRandom random, long... extents) {
    return Tensors.of(ScalarType.DOUBLE, () -> random.nextDouble() - 0.5, extents);
  }
}
