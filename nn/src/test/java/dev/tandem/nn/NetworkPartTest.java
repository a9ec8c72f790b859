package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.core.DType;
import dev.tandem.core.Ranges;
import dev.tandem.core.Region;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.nn.weights.Elements;
import dev.tandem.nn.weights.Weights;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Networks of ranks that have regions of the parameters of a whole one. */
class NetworkPartTest {

  private static final Engine ENGINE = Engine.start(1);
  private static final NetworkOptions EXACT = NetworkOptions.DEFAULT.withDtype(DType.FLOAT64);

  /** Filters 2, 3, 4 of 7; then channels 2, 3, 4 of them. */
  private static final NetworkSpec WHOLE = images(4, 7);

  private static final NetworkSpec PART = images(3, 3);
  private static final Ranges ROWS = Ranges.of(7, 2, 5);

  private static NetworkSpec images(int input, int filters) {
    NetworkBuilder network = new NetworkBuilder(Shape.of(input, 6, 6));
    network.add(new Convolution("conv1", filters, 3, 1, 1));
    network.add(new BatchNorm("norm"));
    network.add(new Convolution("conv2", 5, 3, 1, 1));
    network.add(GlobalPool.average("mean"));
    return network.build();
  }

  private static NetworkPart part() {
    Ranges inputs = Ranges.joined(4, List.of(Ranges.of(4, 0, 1), Ranges.of(4, 2, 4))); // 0, 2 and 3
    Map<String, Region> regions = new HashMap<>();
    regions.put("conv1.weight", new Region(List.of(ROWS, inputs, Ranges.all(3), Ranges.all(3))));
    regions.put(
        "conv2.weight", new Region(List.of(Ranges.all(5), ROWS, Ranges.all(3), Ranges.all(3))));
    for (String name :
        List.of(
            "conv1.bias", "norm.weight", "norm.bias", "norm.running_mean", "norm.running_var")) {
      regions.put(name, new Region(List.of(ROWS)));
    }
    return new NetworkPart(WHOLE, regions, Optional.empty());
  }

  @Test
  void firstValuesAreThoseOfTheWhole() {
    Seed seed = TestSeed.of(NetworkPartTest.class);
    try (Network whole = Network.create(ENGINE, WHOLE, seed, EXACT);
        Network part = Network.create(ENGINE, PART, seed, EXACT, part())) {
      assertRegions(whole, part);
    }
  }

  @Test
  void weightsOfTheWholeNetworkGoIntoTheRegions() {
    Seed seed = TestSeed.of(NetworkPartTest.class);
    SplittableRandom random = seed.random();
    try (Network whole = Network.create(ENGINE, WHOLE, seed);
        Network part = Network.create(ENGINE, PART, new Seed(1), EXACT, part())) {
      for (TensorView tensor : Weights.of(whole).tensors().values()) {
        for (long i = 0; i < tensor.shape().elements(); i++) {
          Elements.set(tensor, i, random.nextDouble());
        }
      }
      Weights.of(whole).into(part, Weights.Unfit.REFUSED);
      assertRegions(whole, part);
      // A part fits no whole network.
      assertThrows(UsageException.class, () -> Weights.of(part).into(whole, Weights.Unfit.REFUSED));
    }
  }

  @Test
  void regionsThatDoNotFitAreRefused() {
    NetworkPart none = NetworkPart.all(WHOLE);
    assertThrows(
        IllegalArgumentException.class,
        () -> Network.create(ENGINE, PART, new Seed(1), EXACT, none));
  }

  /** A rank may have none of the layers that learn. */
  @Test
  void frozenLayersAreThoseOfTheWholeNetwork() {
    NetworkBuilder stage = new NetworkBuilder(Shape.of(4, 6, 6));
    stage.add(new Convolution("conv1", 7, 3, 1, 1));
    stage.add(GlobalPool.average("mean"));
    NetworkOptions options = EXACT.withFrozen(List.of("conv1", "norm"));
    try (Network network =
        Network.create(ENGINE, stage.build(), new Seed(1), options, NetworkPart.all(WHOLE))) {
      assertEquals(Set.of("conv1"), network.frozen());
    }
  }

  /** The heads of an attention on two ranks: answers and input gradients add up. */
  @Test
  void headsAddUp() {
    Seed seed = TestSeed.of(NetworkPartTest.class);
    int tokens = 5;
    int features = 12;
    SplittableRandom random = seed.random();
    Shape sample = Shape.of(tokens, features);
    double[] input = random.doubles(2L * tokens * features, -1, 1).toArray();
    double[] gradient = random.doubles(2L * tokens * features, -1, 1).toArray();
    try (LayerPasses whole =
            new LayerPasses(
                ENGINE, new SelfAttention("a", 3), List.of(sample), DType.FLOAT64, seed);
        // Heads 0 and 2 of 3, with the bias; head 1.
        LayerPasses two =
            new LayerPasses(
                ENGINE, new SelfAttention("a", 2, 4, true), List.of(sample), DType.FLOAT64, seed);
        LayerPasses one =
            new LayerPasses(
                ENGINE,
                new SelfAttention("a", 1, 4, false),
                List.of(sample),
                DType.FLOAT64,
                seed)) {
      Ranges twoHeads = Ranges.joined(12, List.of(Ranges.of(12, 0, 4), Ranges.of(12, 8, 12)));
      copy(whole, two, twoHeads);
      copy(whole, one, Ranges.of(12, 4, 8));
      double[][] expected = passes(whole, input, gradient);
      double[][] low = passes(two, input, gradient);
      double[][] high = passes(one, input, gradient);
      for (int pass = 0; pass < 2; pass++) {
        double[] sum = low[pass].clone();
        for (int i = 0; i < sum.length; i++) {
          sum[i] += high[pass][i];
        }
        assertArrayEquals(expected[pass], sum, 1e-12);
      }
      for (int i = 0; i < 4; i++) {
        TensorView tensor = whole.gradients().get(i);
        assertArrayEquals(
            numbers(tensor, heads(tensor, twoHeads)),
            Batches.numbers(two.gradients().get(i)),
            1e-12,
            tensor.name());
      }
      assertEquals(3, one.gradients().size());
    }
  }

  private static double[][] passes(LayerPasses layer, double[] input, double[] gradient) {
    MemorySegment output = memory(new double[input.length]);
    layer.forward(List.of(memory(input)), 2, TrainingStep.of(new Seed(1), 0), output);
    MemorySegment back = memory(new double[input.length]);
    layer.backwardData(memory(gradient), List.of(back));
    layer.backwardWeights(memory(gradient));
    return new double[][] {
      output.toArray(ValueLayout.JAVA_DOUBLE), back.toArray(ValueLayout.JAVA_DOUBLE)
    };
  }

  private static MemorySegment memory(double[] values) {
    MemorySegment memory = Arena.ofAuto().allocate(8L * values.length, 64);
    memory.copyFrom(MemorySegment.ofArray(values));
    return memory;
  }

  private static void copy(LayerPasses whole, LayerPasses part, Ranges features) {
    for (int i = 0; i < part.parameters().size(); i++) {
      TensorView tensor = whole.parameters().get(i);
      part.parameters()
          .get(i)
          .data()
          .copyFrom(MemorySegment.ofArray(numbers(tensor, heads(tensor, features))));
    }
  }

  /** What some heads have of a parameter of an attention of 12 features. */
  private static Region heads(TensorView tensor, Ranges features) {
    Ranges three =
        Ranges.joined(
            36, List.of(features.within(36, 0), features.within(36, 12), features.within(36, 24)));
    return switch (tensor.name()) {
      case "a.in_projection.weight" -> new Region(List.of(three, Ranges.all(12)));
      case "a.in_projection.bias" -> new Region(List.of(three));
      case "a.out_projection.weight" -> new Region(List.of(Ranges.all(12), features));
      default -> Region.all(tensor.shape());
    };
  }

  private static void assertRegions(Network whole, Network part) {
    Map<String, TensorView> wholes = Weights.of(whole).tensors();
    Weights.of(part)
        .tensors()
        .forEach(
            (name, tensor) ->
                assertArrayEquals(
                    numbers(wholes.get(name), part.part().region(tensor)),
                    Batches.numbers(tensor),
                    name));
  }

  private static double[] numbers(TensorView whole, Region region) {
    double[] all = Batches.numbers(whole);
    double[] own = new double[(int) region.local().elements()];
    region.forEachRun(
        (from, to, length) -> System.arraycopy(all, (int) from, own, (int) to, (int) length));
    return own;
  }
}
