package dev.tandem.parallel.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.DType;
import dev.tandem.core.Ranges;
import dev.tandem.core.Region;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Gradients;
import dev.tandem.nn.Lamb;
import dev.tandem.nn.Lars;
import dev.tandem.nn.Network;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.NetworkPart;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.RankThreads;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Clipping, LARS and LAMB of split networks change parameters as they do in the whole network. */
class NormTest {

  private static final Engine ENGINE = Engine.start(1);
  private static final NetworkOptions EXACT = NetworkOptions.DEFAULT.withDtype(DType.FLOAT64);
  private static final int STEPS = 3;

  /** Layer wide is split by rows, layer next by columns on 3 ranks; the last one is copied. */
  private static final Mesh MESH = Mesh.of(new Mesh.Axis(Mesh.DATA, 2), new Mesh.Axis("filter", 3));

  private static final NetworkSpec WHOLE = spec(8, 7);

  private static NetworkSpec spec(int input, int width) {
    NetworkBuilder network = new NetworkBuilder(Shape.of(input));
    network.add(new FullyConnected("wide", width));
    network.add(new FullyConnected("next", 6));
    network.add(new FullyConnected("last", 5));
    return network.build();
  }

  /** What a rank has after some steps, and the norms of its gradients. */
  private record Result(Map<String, double[]> parameters, List<Double> norms) {}

  @Test
  void clippedGradients() throws Exception {
    check(network -> new SgdMomentum(network, clipping()));
  }

  @Test
  void lars() throws Exception {
    check(network -> new Lars(network, new Lars.Settings(0.9, 1e-2, 0.1)));
  }

  @Test
  void lamb() throws Exception {
    check(network -> new Lamb(network, new Lamb.Settings(0.9, 0.99, 1e-6, 1e-2)));
  }

  private static SgdMomentum.Settings clipping() {
    return new SgdMomentum.Settings(0.9, 1e-2, false, 0.5);
  }

  private static void check(Function<Network, Optimizer> optimizer) throws Exception {
    Seed seed = TestSeed.of(NormTest.class);
    Result whole;
    try (Network network = Network.create(ENGINE, WHOLE, seed, EXACT)) {
      whole = steps(network, optimizer, seed);
    }
    int[] bounds = {0, 3, 4, 7}; // 3, 1 and 3 of 7 features
    List<Result> ranks =
        RankThreads.run(
            MESH.size(),
            communicator -> {
              int at = MESH.coordinate(communicator.rank(), "filter");
              Ranges own = Ranges.of(7, bounds[at], bounds[at + 1]);
              Map<String, Region> regions =
                  Map.of(
                      "wide.weight",
                      new Region(List.of(own, Ranges.all(8))),
                      "wide.bias",
                      new Region(List.of(own)),
                      "next.weight",
                      new Region(List.of(Ranges.all(6), own)));
              Set<String> both = Set.of(Mesh.DATA, "filter");
              Map<String, Set<String>> copies =
                  Map.of(
                      "wide.weight",
                      Set.of(Mesh.DATA),
                      "wide.bias",
                      Set.of(Mesh.DATA),
                      "next.weight",
                      Set.of(Mesh.DATA),
                      "next.bias",
                      both,
                      "last.weight",
                      both,
                      "last.bias",
                      both);
              NetworkSpec local = spec(8, (int) own.extent());
              NetworkPart part =
                  new NetworkPart(
                      WHOLE,
                      regions,
                      Optional.of(new SplitNorms(communicator, MESH, WHOLE, local, copies)));
              try (Network network = Network.create(ENGINE, local, seed, EXACT, part)) {
                Result result = steps(network, optimizer, seed);
                for (TensorView parameter : network.parameters()) {
                  assertArrayEquals(
                      part(whole.parameters.get(parameter.name()), part.region(parameter)),
                      result.parameters.get(parameter.name()),
                      1e-12,
                      parameter.name());
                }
                return result;
              }
            });
    for (Result rank : ranks) {
      assertEquals(ranks.getFirst().norms, rank.norms); // the same bits
      for (int i = 0; i < STEPS; i++) {
        double norm = whole.norms.get(i);
        assertEquals(norm, rank.norms.get(i), 1e-12 * norm);
      }
    }
  }

  /** Steps with gradients that are regions of random ones. */
  private static Result steps(Network network, Function<Network, Optimizer> method, Seed seed) {
    List<Double> norms = new ArrayList<>();
    try (Optimizer optimizer = method.apply(network)) {
      for (int step = 0; step < STEPS; step++) {
        for (TensorView gradient : network.gradients()) {
          Region region = network.part().region(gradient);
          double[] whole =
              seed.derive(gradient.name())
                  .derive(step)
                  .random()
                  .doubles(region.whole().elements(), -1, 1)
                  .toArray();
          double[] own = part(whole, region);
          for (int i = 0; i < own.length; i++) {
            gradient.data().setAtIndex(ValueLayout.JAVA_DOUBLE, i, own[i]);
          }
        }
        norms.add(Gradients.norm(network));
        optimizer.step(0.1);
      }
    }
    Map<String, double[]> parameters = new HashMap<>();
    network
        .parameters()
        .forEach(each -> parameters.put(each.name(), each.data().toArray(ValueLayout.JAVA_DOUBLE)));
    return new Result(parameters, norms);
  }

  private static double[] part(double[] whole, Region region) {
    double[] own = new double[(int) region.local().elements()];
    region.forEachRun(
        (from, to, length) -> System.arraycopy(whole, (int) from, own, (int) to, (int) length));
    return own;
  }
}
