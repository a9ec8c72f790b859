package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
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
import dev.tandem.nn.spec.Positions;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.nn.spec.TokenMean;
import dev.tandem.nn.spec.Tokens;
import dev.tandem.nn.spec.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Layers of every kind with small random shapes that fit. */
public record LayerCases(LayerSpec layer, List<Shape> inputs) {
  /**
   * An epsilon that keeps the answers apart from rounding. A row of two may hold two values that
   * are nearly equal; with the usual 1e-5 the answer is then the rounding of their variance, which
   * ONNX Runtime takes as the mean square less the square of the mean: off by 1e-3 where we are off
   * by 1e-5.
   */
  private static final double STEADY = 0.1;

  /** One layer of each kind, and several of those with many ways to be. */
  public static List<LayerCases> draw(SplittableRandom random) {
    List<LayerCases> cases = new ArrayList<>();
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
      cases.add(convolution(random, dimensions));
      cases.add(convolution(random, dimensions));
      Shape space = space(random, dimensions, 1 + random.nextInt(5));
      cases.add(of(new MaxPool("max", pool(random, dimensions), random.nextBoolean()), space));
      cases.add(of(new MaxPool("holes", Window.of(2).withDilation(2), false), space));
      cases.add(of(new AveragePool("mean", pool(random, dimensions), random.nextBoolean()), space));
      cases.add(of(GlobalPool.average("all"), space));
      cases.add(of(GlobalPool.max("all"), space));
      cases.add(of(new BatchNorm("norm"), space));
      int groups = 1 + random.nextInt(3);
      Shape grouped = space(random, dimensions, groups * (1L + random.nextInt(3)));
      cases.add(of(new GroupNorm("norm", groups), grouped));
      for (LocalResponseNorm.Across across : LocalResponseNorm.Across.values()) {
        int size = 1 + 2 * random.nextInt(3);
        cases.add(of(new LocalResponseNorm("local", size, 0.3, 0.75, 1.5, across), space));
      }
      cases.add(of(new Dropout("drop", 0.4), space));
      cases.add(of(new Flatten("row"), space));
      cases.add(of(new Tokens("tokens"), space));
      cases.add(new LayerCases(new Add("sum"), List.of(space, space, space)));
      Shape wider = space.extents().size() == 3 ? with(space, 4) : with(space, 2);
      cases.add(new LayerCases(new Concatenation("all"), List.of(space, wider, space)));
    }
    Shape row = Shape.of(2 + random.nextInt(9));
    int heads = 1 + random.nextInt(3);
    Shape sequence = Shape.of(1 + random.nextInt(5), heads * (1L + random.nextInt(4)));
    for (Activation.Function function : Activation.Function.values()) {
      double slope = function == Activation.Function.LEAKY_RELU ? 0.2 : 0;
      cases.add(of(new Activation("act", function, slope), random.nextBoolean() ? row : sequence));
    }
    cases.add(of(new FullyConnected("full", 1 + random.nextInt(6)), row));
    cases.add(of(new FullyConnected("full", 1 + random.nextInt(6), false), sequence));
    cases.add(of(new BatchNorm("norm"), row));
    cases.add(of(new LayerNorm("norm", STEADY), row));
    cases.add(of(new LayerNorm("norm", STEADY), sequence));
    cases.add(of(new Positions("places"), sequence));
    cases.add(of(new TokenMean("mean"), sequence));
    cases.add(of(new SelfAttention("attention", heads), sequence));
    boolean bias = random.nextBoolean();
    int size = 1 + random.nextInt(4);
    cases.add(of(new SelfAttention("attention", 1 + random.nextInt(3), size, bias), sequence));
    return cases;
  }

  private static LayerCases convolution(SplittableRandom random, int dimensions) {
    int groups = 1 + random.nextInt(2);
    Window window =
        Window.of(numbers(random, dimensions, 1, 3))
            .withStride(numbers(random, dimensions, 1, 2))
            .withPadding(numbers(random, dimensions, 0, 2))
            .withDilation(numbers(random, dimensions, 1, 2));
    int filters = groups * (1 + random.nextInt(3));
    Shape input = space(random, dimensions, groups * (1L + random.nextInt(3)));
    return of(new Convolution("conv", filters, window, groups, random.nextBoolean()), input);
  }

  private static Window pool(SplittableRandom random, int dimensions) {
    return Window.of(numbers(random, dimensions, 2, 3))
        .withStride(numbers(random, dimensions, 1, 3))
        .withPadding(numbers(random, dimensions, 0, 1));
  }

  private static Shape space(SplittableRandom random, int dimensions, long channels) {
    long[] extents = new long[dimensions + 1];
    extents[0] = channels;
    for (int i = 1; i <= dimensions; i++) {
      extents[i] = 5L + random.nextInt(4);
    }
    return Shape.of(extents);
  }

  private static Shape with(Shape space, long channels) {
    long[] extents = space.toArray();
    extents[0] = channels;
    return Shape.of(extents);
  }

  private static int[] numbers(SplittableRandom random, int count, int least, int most) {
    return IntStream.range(0, count).map(i -> random.nextInt(least, most + 1)).toArray();
  }

  private static LayerCases of(LayerSpec layer, Shape input) {
    return new LayerCases(layer, List.of(input));
  }
}
