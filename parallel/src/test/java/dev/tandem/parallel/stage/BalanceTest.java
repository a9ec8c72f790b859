package dev.tandem.parallel.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.Engine;
import dev.tandem.nn.models.LeNet;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LayerCost;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.testkit.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BalanceTest {

  /** Against all ways to cut. */
  @Test
  void slowestStageIsAsFastAsCanBe() {
    SplittableRandom random = TestSeed.of(BalanceTest.class).random();
    for (int round = 0; round < 50; round++) {
      int stages = random.nextInt(1, 5);
      StageCuts cuts = chain(stages, random);
      int layers = cuts.spec().nodes().size();
      double[] costs = random.doubles(layers, 0, 1).toArray();
      double[] messages = random.doubles(layers, 0, 0.3).toArray();
      messages[0] = 0;
      Balance balance = new Balance(cuts, costs, messages);
      double best = Double.POSITIVE_INFINITY;
      for (List<Integer> begins : all(stages, layers)) {
        best = Math.min(best, slowest(balance, begins, layers));
      }
      assertEquals(best, balance.slowest(stages), 1e-12);
      List<Integer> chosen = balance.begins(stages);
      assertEquals(chosen, cuts.begins(cuts.names(chosen), stages));
      assertTrue(slowest(balance, chosen, layers) <= best * 1.05);
    }
  }

  @Test
  void blocksOfResidualNetworksStayTogether() {
    NetworkSpec network = ResNet.small(18, 10);
    StageCuts cuts = new StageCuts(LocalNetwork.undivided(network), Set.of());
    double[] costs =
        LayerCost.of(network, Set.of()).stream()
            .mapToDouble(cost -> (double) cost.forward() + cost.backward())
            .toArray();
    Balance balance = new Balance(cuts, costs, new double[costs.length]);
    for (int place : balance.begins(2).subList(1, 2)) {
      assertEquals(1, cuts.crossing(place).size());
    }
  }

  @Test
  void layersAreMeasured() {
    NetworkSpec network = LeNet.spec(10);
    double[] seconds = LayerTimes.of(Engine.start(1), network, 2, DType.FLOAT32, Set.of());
    for (double each : seconds) {
      assertTrue(each > 0);
    }
    assertEquals(network.nodes().size(), seconds.length);
  }

  private static double slowest(Balance balance, List<Integer> begins, int layers) {
    double slowest = 0;
    for (int stage = 0; stage < begins.size(); stage++) {
      int end = stage + 1 < begins.size() ? begins.get(stage + 1) : layers;
      slowest = Math.max(slowest, balance.time(begins.get(stage), end));
    }
    return slowest;
  }

  private static List<List<Integer>> all(int stages, int layers) {
    List<List<Integer>> all = new ArrayList<>(List.of(List.of(0)));
    for (int stage = 1; stage < stages; stage++) {
      List<List<Integer>> longer = new ArrayList<>();
      for (List<Integer> begins : all) {
        for (int next = begins.getLast() + 1; next < layers; next++) {
          List<Integer> more = new ArrayList<>(begins);
          more.add(next);
          longer.add(more);
        }
      }
      all = longer;
    }
    return all;
  }

  private static StageCuts chain(int stages, SplittableRandom random) {
    NetworkBuilder builder = new NetworkBuilder(Shape.of(4));
    int layers = random.nextInt(stages, 9);
    for (int i = 0; i < layers; i++) {
      if (random.nextBoolean()) {
        builder.add(Activation.relu("act" + i));
      }
      builder.add(new FullyConnected("fc" + i, 4));
    }
    return new StageCuts(LocalNetwork.undivided(builder.build()), Set.of());
  }
}
