package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Exchanger;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** A layer split in two gives what the whole gives: what processes do, in one process. */
class LayerPassesTest {

  private static final Engine ENGINE = Engine.start(1);
  private static final TrainingStep STEP = TrainingStep.of(new Seed(1), 0);
  private static final Shape INPUT = Shape.of(4, 6, 6);
  private static final int BATCH = 2;
  private static final int PLANE = 36;

  @Test
  void aConvolutionSplitByFilters() {
    SplittableRandom random = TestSeed.of(LayerPassesTest.class).random();
    double[] input = numbers(random, BATCH * 4 * PLANE);
    double[] gradient = numbers(random, BATCH * 6 * PLANE);
    try (LayerPasses whole = layer(new Convolution("conv", 6, 3, 1, 1), INPUT);
        LayerPasses low = layer(new Convolution("conv", 3, 3, 1, 1), INPUT);
        LayerPasses high = layer(new Convolution("conv", 3, 3, 1, 1), INPUT)) {
      copyHalf(whole, low, 0);
      copyHalf(whole, high, 1);
      double[] output = forward(whole, input);
      assertArrayEquals(
          output, channels(forward(low, input), forward(high, input)), 1e-12); // allgather
      double[] lowData = backwardData(low, half(gradient, 6, 0), input.length);
      double[] highData = backwardData(high, half(gradient, 6, 1), input.length);
      double[] sum = new double[lowData.length];
      Arrays.setAll(sum, i -> lowData[i] + highData[i]); // allreduce
      assertArrayEquals(backwardData(whole, gradient, input.length), sum, 1e-12);
      whole.backwardWeights(memory(gradient));
      low.backwardWeights(memory(half(gradient, 6, 0)));
      double[] weights = Batches.numbers(whole.gradients().getFirst());
      assertArrayEquals(
          Arrays.copyOf(weights, weights.length / 2),
          Batches.numbers(low.gradients().getFirst()),
          1e-12);
    }
  }

  @Test
  void aBatchNormSplitBySamples() throws Exception {
    SplittableRandom random = TestSeed.of(LayerPassesTest.class).random();
    double[] input = numbers(random, 2 * 4 * PLANE);
    double[] gradient = numbers(random, 2 * 4 * PLANE);
    int sample = 4 * PLANE;
    Exchanger<double[]> exchanger = new Exchanger<>();
    try (LayerPasses whole = layer(new BatchNorm("norm"), INPUT)) {
      double[] output = forward(whole, input);
      double[] data = backwardData(whole, gradient, input.length);
      FutureTask<double[][]> other =
          new FutureTask<>(() -> half(exchanger, input, gradient, sample, 2 * sample));
      Thread thread = Thread.ofPlatform().start(other);
      double[][] low = half(exchanger, input, gradient, 0, sample);
      double[][] high = other.get();
      thread.join();
      assertArrayEquals(output, joined(low[0], high[0]), 1e-12);
      assertArrayEquals(data, joined(low[1], high[1]), 1e-12);
    }
  }

  @Test
  void backwardNeedsForward() {
    try (LayerPasses layer = layer(new BatchNorm("norm"), INPUT)) {
      MemorySegment gradient = memory(new double[4 * PLANE]);
      assertThrows(IllegalStateException.class, () -> layer.backwardWeights(gradient));
      MemorySegment tooSmall = memory(new double[1]);
      assertThrows(
          IllegalArgumentException.class,
          () -> layer.forward(List.of(tooSmall), 1, STEP, gradient));
    }
  }

  /** One of two ranks with one sample each: output and gradient by the input. */
  private static double[][] half(
      Exchanger<double[]> exchanger, double[] input, double[] gradient, int from, int to) {
    StatisticsReducer reducer =
        (layer, parts, total) -> {
          try {
            double[] own = parts.getFirst().toArray(ValueLayout.JAVA_DOUBLE);
            double[] theirs = exchanger.exchange(own);
            for (int i = 0; i < own.length; i++) {
              total.setAtIndex(ValueLayout.JAVA_DOUBLE, i, own[i] + theirs[i]);
            }
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };
    try (LayerPasses layer = layer(new BatchNorm("norm"), INPUT)) {
      MemorySegment output = memory(new double[to - from]);
      layer.forward(
          List.of(memory(Arrays.copyOfRange(input, from, to))),
          1,
          STEP.withStatistics(reducer),
          output);
      double[] data = backwardData(layer, Arrays.copyOfRange(gradient, from, to), to - from);
      return new double[][] {output.toArray(ValueLayout.JAVA_DOUBLE), data};
    }
  }

  private static LayerPasses layer(LayerSpec spec, Shape input) {
    return new LayerPasses(ENGINE, spec, List.of(input), DType.FLOAT64, new Seed(4));
  }

  private static void copyHalf(LayerPasses whole, LayerPasses part, int half) {
    for (int i = 0; i < 2; i++) {
      MemorySegment target = part.parameters().get(i).data();
      MemorySegment source = whole.parameters().get(i).data();
      target.copyFrom(source.asSlice(half * target.byteSize(), target.byteSize()));
    }
  }

  private static double[] forward(LayerPasses layer, double[] input) {
    long size = layer.outputShape().elements() * BATCH;
    MemorySegment output = memory(new double[(int) size]);
    layer.forward(List.of(memory(input)), BATCH, STEP, output);
    return output.toArray(ValueLayout.JAVA_DOUBLE);
  }

  private static double[] backwardData(LayerPasses layer, double[] gradient, int size) {
    MemorySegment data = memory(new double[size]);
    layer.backwardData(memory(gradient), List.of(data));
    return data.toArray(ValueLayout.JAVA_DOUBLE);
  }

  /** Half of the channels of each sample. */
  private static double[] half(double[] values, int channels, int half) {
    int size = channels * PLANE / 2;
    double[] result = new double[BATCH * size];
    for (int sample = 0; sample < BATCH; sample++) {
      System.arraycopy(values, (2 * sample + half) * size, result, sample * size, size);
    }
    return result;
  }

  private static double[] channels(double[] low, double[] high) {
    int size = low.length / BATCH;
    double[] result = new double[2 * low.length];
    for (int sample = 0; sample < BATCH; sample++) {
      System.arraycopy(low, sample * size, result, 2 * sample * size, size);
      System.arraycopy(high, sample * size, result, (2 * sample + 1) * size, size);
    }
    return result;
  }

  private static double[] joined(double[] first, double[] second) {
    double[] result = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, result, first.length, second.length);
    return result;
  }

  private static double[] numbers(SplittableRandom random, int count) {
    return random.doubles(count, -1, 1).toArray();
  }

  private static MemorySegment memory(double[] values) {
    return Arena.ofAuto().allocateFrom(ValueLayout.JAVA_DOUBLE, values);
  }
}
