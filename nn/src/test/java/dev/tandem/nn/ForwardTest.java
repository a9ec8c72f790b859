package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.nn.spec.Window;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Forward passes against plain loops, for one sample. */
class ForwardTest {

  private static final Engine ENGINE = Engine.start(1);
  private static final int ROUNDS = 8;

  /** An image or volume with zeros around it; images have depth 1. */
  private static final class Space {

    private final double[] values;
    private final int depth;
    private final int height;
    private final int width;

    Space(double[] values, int depth, int height, int width) {
      this.values = values;
      this.depth = depth;
      this.height = height;
      this.width = width;
    }

    double at(int channel, int z, int y, int x) {
      boolean inside = z >= 0 && z < depth && y >= 0 && y < height && x >= 0 && x < width;
      return inside ? values[((channel * depth + z) * height + y) * width + x] : 0;
    }
  }

  @Test
  void convolution() {
    SplittableRandom random = TestSeed.of(ForwardTest.class).random();
    for (int round = 0; round < ROUNDS; round++) {
      int[] kernel = {random.nextInt(1, 4), random.nextInt(1, 4), random.nextInt(1, 4)};
      int[] stride = {random.nextInt(1, 3), random.nextInt(1, 3), random.nextInt(1, 3)};
      int[] padding = {random.nextInt(3), random.nextInt(3), random.nextInt(3)};
      int[] dilation = {random.nextInt(1, 3), random.nextInt(1, 3), random.nextInt(1, 3)};
      Window window =
          Window.of(kernel).withStride(stride).withPadding(padding).withDilation(dilation);
      Convolution spec = new Convolution("conv", 4, window, 2, true);
      Space input = new Space(numbers(random, 6 * 5 * 6 * 7), 5, 6, 7);
      try (LayerPasses layer = layer(spec, Shape.of(6, 5, 6, 7))) {
        double[] weight = Batches.numbers(layer.parameters().get(0));
        double[] bias = numbers(random, 4);
        MemorySegment.copy(MemorySegment.ofArray(bias), 0, layer.parameters().get(1).data(), 0, 32);
        long[] extents = layer.outputShape().toArray();
        double[] expected = new double[(int) layer.outputShape().elements()];
        int at = 0;
        for (int f = 0; f < 4; f++) {
          for (int z = 0; z < extents[1]; z++) {
            for (int y = 0; y < extents[2]; y++) {
              for (int x = 0; x < extents[3]; x++) {
                double sum = bias[f];
                int w = f * 3 * kernel[0] * kernel[1] * kernel[2];
                for (int c = 0; c < 3; c++) {
                  for (int k = 0; k < kernel[0] * kernel[1] * kernel[2]; k++) {
                    int kz = k / kernel[2] / kernel[1];
                    int ky = k / kernel[2] % kernel[1];
                    int kx = k % kernel[2];
                    sum +=
                        weight[w++]
                            * input.at(
                                f / 2 * 3 + c,
                                z * stride[0] - padding[0] + kz * dilation[0],
                                y * stride[1] - padding[1] + ky * dilation[1],
                                x * stride[2] - padding[2] + kx * dilation[2]);
                  }
                }
                expected[at++] = sum;
              }
            }
          }
        }
        assertArrayEquals(expected, forward(layer, input.values), 1e-12, spec.toString());
      }
    }
  }

  @Test
  void poolingLikeCaffe() {
    double[] values = new double[16];
    Arrays.setAll(values, i -> i);
    Window window = Window.of(3).withStride(2);
    try (LayerPasses max = layer(new MaxPool("max", window, true), Shape.of(1, 4, 4));
        LayerPasses mean = layer(new AveragePool("mean", window, true), Shape.of(1, 4, 4))) {
      assertArrayEquals(new double[] {10, 11, 14, 15}, forward(max, values));
      // A window over the border counts the elements that it has.
      assertArrayEquals(new double[] {5, 6.5, 11, 12.5}, forward(mean, values), 1e-12);
    }
  }

  @Test
  void localResponseNorm() {
    SplittableRandom random = TestSeed.of(ForwardTest.class).random();
    Space input = new Space(numbers(random, 6 * 5 * 4), 1, 5, 4);
    for (LocalResponseNorm.Across across : LocalResponseNorm.Across.values()) {
      boolean channels = across == LocalResponseNorm.Across.CHANNELS;
      LocalResponseNorm spec = new LocalResponseNorm("norm", 3, 0.5, 0.75, 2, across);
      try (LayerPasses layer = layer(spec, Shape.of(6, 5, 4))) {
        double[] expected = new double[input.values.length];
        for (int i = 0; i < expected.length; i++) {
          int c = i / 20;
          int y = i / 4 % 5;
          int x = i % 4;
          double sum = 0;
          for (int j = -1; j <= 1; j++) {
            if (channels) {
              sum += c + j >= 0 && c + j < 6 ? square(input.at(c + j, 0, y, x)) / 3 : 0;
            } else {
              for (int k = -1; k <= 1; k++) {
                sum += square(input.at(c, 0, y + j, x + k)) / 9;
              }
            }
          }
          expected[i] = input.values[i] / Math.pow(2 + 0.5 * sum, 0.75);
        }
        assertArrayEquals(expected, forward(layer, input.values), 1e-12, across.toString());
      }
    }
  }

  @Test
  void selfAttention() {
    SplittableRandom random = TestSeed.of(ForwardTest.class).random();
    int tokens = 3;
    int features = 4;
    int perHead = 2;
    double[] input = numbers(random, tokens * features);
    try (LayerPasses layer = layer(new SelfAttention("a", 2), Shape.of(tokens, features))) {
      double[] projected = rows(input, layer.parameters().get(0), tokens, features, 12);
      double[] answers = new double[tokens * features];
      for (int head = 0; head < 2; head++) {
        for (int t = 0; t < tokens; t++) {
          double[] shares = new double[tokens];
          double total = 0;
          for (int u = 0; u < tokens; u++) {
            double score = 0;
            for (int d = 0; d < perHead; d++) {
              int feature = head * perHead + d;
              score += projected[t * 12 + feature] * projected[u * 12 + 4 + feature];
            }
            shares[u] = Math.exp(score / Math.sqrt(perHead));
            total += shares[u];
          }
          for (int u = 0; u < tokens; u++) {
            for (int d = 0; d < perHead; d++) {
              int feature = head * perHead + d;
              answers[t * features + feature] +=
                  shares[u] / total * projected[u * 12 + 8 + feature];
            }
          }
        }
      }
      double[] expected = rows(answers, layer.parameters().get(2), tokens, features, features);
      assertArrayEquals(expected, forward(layer, input), 1e-12);
    }
  }

  /** Each row times a matrix of outputs x inputs. */
  private static double[] rows(
      double[] values, TensorView matrix, int rows, int inputs, int outputs) {
    double[] weights = Batches.numbers(matrix);
    double[] result = new double[rows * outputs];
    for (int r = 0; r < rows; r++) {
      for (int o = 0; o < outputs; o++) {
        for (int i = 0; i < inputs; i++) {
          result[r * outputs + o] += weights[o * inputs + i] * values[r * inputs + i];
        }
      }
    }
    return result;
  }

  private static LayerPasses layer(LayerSpec spec, Shape input) {
    return new LayerPasses(ENGINE, spec, List.of(input), DType.FLOAT64, new Seed(4));
  }

  private static double[] forward(LayerPasses layer, double[] input) {
    MemorySegment output = Arena.ofAuto().allocate(8 * layer.outputShape().elements(), 64);
    MemorySegment memory = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_DOUBLE, input);
    layer.forward(List.of(memory), 1, TrainingStep.of(new Seed(1), 0), output);
    assertEquals(8 * layer.outputShape().elements(), output.byteSize());
    return output.toArray(ValueLayout.JAVA_DOUBLE);
  }

  private static double[] numbers(SplittableRandom random, int count) {
    return random.doubles(count, -1, 1).toArray();
  }

  private static double square(double value) {
    return value * value;
  }
}
