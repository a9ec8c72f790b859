package dev.tandem.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.Region;
import dev.tandem.core.Seed;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.NetworkOptions.Precision;
import dev.tandem.nn.NetworkPart;
import dev.tandem.nn.Samples;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.exchange.MeshGroups;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.strategy.Strategy;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Split networks whose activations are bfloat16: normalisations over ranks and exchanges. */
class MixedPrecisionTest {

  private static final Engine ENGINE = Engine.start(1);
  private static final NetworkOptions MIXED = NetworkOptions.DEFAULT.withPrecision(Precision.MIXED);
  private static final int SAMPLES = 4;

  @Test
  void lossesAgree() throws Exception {
    Seed seed = TestSeed.of(MixedPrecisionTest.class);
    for (NetworkSpec network : List.of(SmallNetworks.resnet(), SmallNetworks.responses())) {
      float[] inputs = new float[(int) (SAMPLES * network.input().elements())];
      SplittableRandom random = seed.random();
      for (int i = 0; i < inputs.length; i++) {
        inputs[i] = (float) (2 * random.nextDouble() - 1);
      }
      double whole;
      try (Network serial = Network.create(ENGINE, network, seed, MIXED)) {
        whole = loss(serial, inputs, Region.all(network.input()), seed);
      }
      for (String words : List.of("height=2", "filter=2")) {
        Mesh mesh = Meshes.of(words);
        List<Double> losses =
            RankThreads.run(
                mesh.size(),
                communicator -> {
                  try (MeshGroups groups = new MeshGroups(communicator, mesh)) {
                    LocalNetwork local =
                        Planner.plan(
                            network, mesh, Strategy.USUAL, communicator.rank(), groups::transfer);
                    groups.form();
                    NetworkPart part =
                        new NetworkPart(
                            network, local.regions(), Optional.empty(), local.inputSamples());
                    try (Network own = Network.create(ENGINE, local.spec(), seed, MIXED, part)) {
                      return loss(own, inputs, local.input(), seed);
                    }
                  }
                });
        assertEquals(losses.get(0), losses.get(1));
        assertEquals(whole, losses.getFirst(), 0.03 * whole, words);
      }
    }
  }

  private static double loss(Network network, float[] whole, Region region, Seed seed) {
    try (Arena arena = Arena.ofConfined()) {
      long elements = region.local().elements();
      MemorySegment inputs = arena.allocate(SAMPLES * elements * Float.BYTES, 64);
      MemorySegment source = MemorySegment.ofArray(whole);
      for (int sample = 0; sample < SAMPLES; sample++) {
        long first = sample * region.whole().elements();
        long own = sample * elements;
        region.forEachRun(
            (from, to, length) ->
                MemorySegment.copy(
                    source,
                    (first + from) * Float.BYTES,
                    inputs,
                    (own + to) * Float.BYTES,
                    length * Float.BYTES));
      }
      MemorySegment labels = arena.allocate(ValueLayout.JAVA_LONG, SAMPLES);
      return network.forwardBackward(
          new Samples(inputs, labels, SAMPLES), TrainingStep.of(seed, 0));
    }
  }
}
