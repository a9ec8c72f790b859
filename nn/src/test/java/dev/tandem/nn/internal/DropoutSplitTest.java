package dev.tandem.nn.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.core.Ranges;
import dev.tandem.core.Region;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.Engine;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.engine.Tensors;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.testkit.RandomRegions;
import dev.tandem.testkit.TestSeed;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A dropout of a region and of a share of the samples drops what the whole layer drops there. */
class DropoutSplitTest {

  private static final double PROBABILITY = 0.4;

  @BeforeAll
  static void startEngine() {
    Engine.start(1);
  }

  @Test
  void partsDropWhatTheWholeDrops() {
    Seed seed = TestSeed.of(DropoutSplitTest.class);
    SplittableRandom random = seed.random();
    for (int round = 0; round < 60; round++) {
      Shape sample =
          round % 2 == 0
              ? Shape.of(1 + random.nextInt(6), 1 + random.nextInt(7), 1 + random.nextInt(7))
              : Shape.of(1 + random.nextInt(9), 1 + random.nextInt(9));
      int samples = 3 + random.nextInt(5);
      Mode mode = new Mode(true, seed, round, 17, samples);
      SampleShare share = new SampleShare(random.nextInt(3), 3);
      for (Region region : RandomRegions.split(random, sample, 3)) {
        assertSame(sample, region, share, mode);
      }
    }
  }

  @Test
  void marginsBeyondTheBorderStay() {
    Seed seed = TestSeed.of(DropoutSplitTest.class);
    Ranges rows = new Ranges(4, 6, List.of(new Ranges.Run(0, 2, 3)));
    Region region = new Region(List.of(Ranges.all(2), rows, Ranges.all(5)));
    assertSame(Shape.of(2, 4, 5), region, SampleShare.ALL, new Mode(true, seed, 0, 0, 2));
  }

  @Test
  void filesHaveWholeLayers() {
    NetworkBuilder network = new NetworkBuilder(Shape.of(6));
    Region half = new Region(List.of(Ranges.of(12, 0, 6)));
    network.add(new Dropout("drop", PROBABILITY, Optional.of(half), SampleShare.ALL));
    assertEquals(
        "layer drop is a part of a split network: files have whole networks",
        assertThrows(UsageException.class, () -> NetworkYaml.write(network.build())).getMessage());
  }

  private static void assertSame(Shape sample, Region region, SampleShare share, Mode mode) {
    try (Scope _ = new Scope()) {
      double[] whole = mask(new Dropout("drop", PROBABILITY), sample, mode);
      double[] own =
          mask(new Dropout("drop", PROBABILITY, Optional.of(region), share), region.local(), mode);
      double[] expected = new double[own.length];
      Arrays.fill(expected, 1);
      int wholes = (int) sample.elements();
      int locals = (int) region.local().elements();
      for (int s = 0; s < share.count(mode.samples()); s++) {
        int from = ((int) share.from(mode.samples()) + s) * wholes;
        int to = s * locals;
        region.forEachRun(
            (at, local, length) ->
                System.arraycopy(whole, from + (int) at, expected, to + (int) local, (int) length));
      }
      assertArrayEquals(expected, own, region + " " + share);
    }
  }

  /** What dropout makes of ones. */
  private static double[] mask(Dropout spec, Shape sample, Mode mode) {
    long[] extents = new long[sample.extents().size() + 1];
    extents[0] = spec.samples().count(mode.samples());
    System.arraycopy(sample.toArray(), 0, extents, 1, extents.length - 1);
    Tensor ones = Torch.fast(Tensor.zeros(ScalarType.DOUBLE, extents).fullLike(1));
    return Tensors.numbers(new DropoutLayer(spec, sample).forward(List.of(ones), mode).output());
  }
}
