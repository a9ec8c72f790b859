package dev.tandem.parallel.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tandem.core.DType;
import dev.tandem.core.Ranges;
import dev.tandem.core.Region;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.Engine;
import dev.tandem.nn.LayerPasses;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.Transfer;
import dev.tandem.parallel.RankThreads;
import dev.tandem.parallel.exchange.MeshGroups;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.testkit.RandomRegions;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Normalisations over ranks that have parts of space, against the whole layer. */
class SplitNormalisationTest {

  private static final Engine ENGINE = Engine.start(1);
  private static final int SAMPLES = 3;
  private static final double TOLERANCE = 1e-10;

  /** What a layer computes: its output, the gradients of its input and of its parameters. */
  private enum Result {
    OUTPUT,
    DATA,
    WEIGHT,
    BIAS
  }

  @Test
  void groupNormOverPartsOfSpace() throws Exception {
    SplittableRandom random = TestSeed.of(SplitNormalisationTest.class).random();
    for (int round = 0; round < 8; round++) {
      int groups = 1 + random.nextInt(3);
      Shape sample = sample(random, groups * (1L + random.nextInt(3)), round % 2 == 0);
      check(random, sample, 2 + round % 2, ranks -> new GroupNorm("norm", groups, 1e-5, ranks));
    }
  }

  @Test
  void batchNormOverPartsOfSpace() throws Exception {
    SplittableRandom random = TestSeed.of(SplitNormalisationTest.class).random();
    for (int round = 0; round < 8; round++) {
      Shape sample = sample(random, 1 + random.nextInt(5), round % 2 == 0);
      check(random, sample, 2 + round % 2, ranks -> new BatchNorm("norm", 0.1, 1e-5, ranks));
    }
  }

  private static Shape sample(SplittableRandom random, long channels, boolean volume) {
    List<Long> extents = new ArrayList<>(List.of(channels, 6L + random.nextInt(3)));
    for (int i = volume ? 2 : 1; i > 0; i--) {
      extents.add(2L + random.nextInt(4));
    }
    return new Shape(extents);
  }

  private static void check(
      SplittableRandom random,
      Shape sample,
      int parts,
      Function<Optional<Transfer>, LayerSpec> layer)
      throws Exception {
    double[] input = random.doubles(SAMPLES * sample.elements(), -1, 3).toArray();
    double[] gradient = random.doubles(SAMPLES * sample.elements(), -1, 1).toArray();
    Map<Result, double[]> whole = passes(layer.apply(Optional.empty()), sample, input, gradient);
    List<Region> regions = new ArrayList<>();
    for (Ranges rows : RandomRegions.split(random, sample.extents().get(1), parts)) {
      List<Ranges> dimensions = new ArrayList<>(Region.all(sample).dimensions());
      dimensions.set(1, rows);
      regions.add(new Region(dimensions));
    }
    Mesh mesh = Mesh.of(new Mesh.Axis("height", parts));
    List<Map<Result, double[]>> results =
        RankThreads.run(
            parts,
            communicator -> {
              try (MeshGroups groups = new MeshGroups(communicator, mesh)) {
                Transfer transfer = groups.transfer(Set.of("height"));
                groups.form();
                Region region = regions.get(communicator.rank());
                return passes(
                    layer.apply(Optional.of(transfer)),
                    region.local(),
                    part(input, sample, region),
                    part(gradient, sample, region));
              }
            });
    double[] weight = new double[whole.get(Result.WEIGHT).length];
    double[] bias = new double[whole.get(Result.BIAS).length];
    for (int rank = 0; rank < parts; rank++) {
      Map<Result, double[]> own = results.get(rank);
      Region region = regions.get(rank);
      assertArrayEquals(
          part(whole.get(Result.OUTPUT), sample, region), own.get(Result.OUTPUT), TOLERANCE);
      assertArrayEquals(
          part(whole.get(Result.DATA), sample, region), own.get(Result.DATA), TOLERANCE);
      Arrays.setAll(weight, i -> weight[i] + own.get(Result.WEIGHT)[i]);
      Arrays.setAll(bias, i -> bias[i] + own.get(Result.BIAS)[i]);
    }
    assertArrayEquals(whole.get(Result.WEIGHT), weight, TOLERANCE);
    assertArrayEquals(whole.get(Result.BIAS), bias, TOLERANCE);
  }

  private static Map<Result, double[]> passes(
      LayerSpec spec, Shape sample, double[] input, double[] gradient) {
    try (LayerPasses layer =
        new LayerPasses(ENGINE, spec, List.of(sample), DType.FLOAT64, new Seed(1))) {
      layer.parameters().forEach(parameter -> fill(parameter.data()));
      MemorySegment output = memory(new double[input.length]);
      layer.forward(List.of(memory(input)), SAMPLES, TrainingStep.of(new Seed(1), 0), output);
      MemorySegment data = memory(new double[input.length]);
      layer.backwardData(memory(gradient), List.of(data));
      layer.backwardWeights(memory(gradient));
      return Map.of(
          Result.OUTPUT, numbers(output),
          Result.DATA, numbers(data),
          Result.WEIGHT, numbers(layer.gradients().get(0).data()),
          Result.BIAS, numbers(layer.gradients().get(1).data()));
    }
  }

  private static void fill(MemorySegment values) {
    for (long i = 0; i < values.byteSize() / Double.BYTES; i++) {
      values.setAtIndex(ValueLayout.JAVA_DOUBLE, i, 0.5 + i);
    }
  }

  private static double[] part(double[] whole, Shape sample, Region region) {
    int wholes = (int) sample.elements();
    int locals = (int) region.local().elements();
    double[] part = new double[SAMPLES * locals];
    for (int s = 0; s < SAMPLES; s++) {
      int from = s * wholes;
      int to = s * locals;
      region.forEachRun(
          (at, local, length) ->
              System.arraycopy(whole, from + (int) at, part, to + (int) local, (int) length));
    }
    return part;
  }

  private static MemorySegment memory(double[] values) {
    MemorySegment memory = Arena.ofAuto().allocate(8L * values.length, 64);
    memory.copyFrom(MemorySegment.ofArray(values));
    return memory;
  }

  private static double[] numbers(MemorySegment memory) {
    return memory.toArray(ValueLayout.JAVA_DOUBLE);
  }
}
