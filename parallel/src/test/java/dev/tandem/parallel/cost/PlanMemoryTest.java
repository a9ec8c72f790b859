package dev.tandem.parallel.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.collective.Cost;
import dev.tandem.nn.models.LeNet;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.Planner;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.shard.ShardStage;
import dev.tandem.parallel.strategy.Strategy;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanMemoryTest {

  private static final int SAMPLES = 8;

  private static PlanMemory memory(NetworkSpec network, Mesh mesh, PlannedStep step) {
    PlannedGroups groups = PlannedGroups.onOneHost(mesh, 0);
    LocalNetwork local = Planner.plan(network, mesh, Strategy.USUAL, 0, groups::transfer);
    return PlanMemory.of(local, groups, step, 1, 1);
  }

  /**
   * conv1 20x24x24, pool1 20x12x12, conv2 50x8x8, pool2 50x4x4, both with the places of maxima; a
   * row of 800, ip1 with its relu 500, ip2 10 with its gradient. The weights of conv2 are kept in
   * the engine's order, too; images of one channel are used where they are.
   */
  @Test
  void wholeNetwork() {
    PlanMemory memory = memory(LeNet.spec(10), new Mesh(List.of()), PlannedStep.of(SAMPLES));
    assertEquals(431_080 * 4 + 288, memory.parameters()); // each at a multiple of 64
    assertEquals(memory.parameters(), memory.gradients());
    assertEquals(memory.parameters(), memory.state());
    long values = 11_520 + 2_880 + 3_200 + 800 + 800 + 500 + 10 + 10;
    long places = 2_880 + 800;
    long weights = 20 * 50 * 25 * 4;
    assertEquals((4 * values + 8 * places) * SAMPLES + weights, memory.activationBytes());
    assertEquals(0, memory.exchange());
    // At conv2 the gradients of its output, input and weights, less what its successors kept.
    long freed = 4 * (800 + 800 + 500 + 10 + 10) + 8 * 800;
    assertEquals((4 * (3_200 + 2_880) - freed) * SAMPLES + weights, memory.underWay());
  }

  @Test
  void filtersDivideParametersAndSpaceActivations() {
    NetworkSpec network = ResNet.small(18, 10);
    PlannedStep step = PlannedStep.of(SAMPLES);
    PlanMemory whole = memory(network, new Mesh(List.of()), step);
    PlanMemory filters = memory(network, Mesh.of(new Mesh.Axis("filter", 2)), step);
    PlanMemory space = memory(network, Mesh.of(new Mesh.Axis("height", 4)), step);
    assertEquals(0.5, (double) filters.parameters() / whole.parameters(), 0.01);
    assertEquals(whole.parameters(), space.parameters());
    // Weights that are kept in the engine's order are those of the whole network.
    long weights = whole.parameters();
    double share =
        (double) (space.activationBytes() - weights) / (whole.activationBytes() - weights);
    assertTrue(share > 0.2 && share < 0.45, "of activations: " + share);
    assertTrue(filters.exchange() > space.exchange());
  }

  @Test
  void rows() {
    NetworkSpec network = ResNet.small(18, 10);
    Mesh mesh = Mesh.of(new Mesh.Axis(Mesh.DATA, 4));
    PlannedStep step = PlannedStep.of(SAMPLES);
    PlanMemory copies = memory(network, mesh, step);
    PlanMemory optimizer = memory(network, mesh, step.sharding(ShardStage.OPTIMIZER));
    PlanMemory gradients = memory(network, mesh, step.sharding(ShardStage.GRADIENTS));
    PlanMemory parameters = memory(network, mesh, step.sharding(ShardStage.PARAMETERS));
    assertEquals(0.25, (double) optimizer.state() / copies.state(), 0.01);
    assertEquals(copies.gradients(), optimizer.gradients());
    // The largest layer has 2.36 million of 11.2 million values; its neighbours, which take turns
    // in
    // the other window, are normalisations.
    assertEquals(0.25 + 0.211, (double) gradients.gradients() / copies.gradients(), 0.01);
    assertEquals(copies.parameters(), gradients.parameters());
    assertTrue(parameters.total() < gradients.total());
  }

  @Test
  void reportHasALineForEachLayer() {
    Mesh mesh = Mesh.of(new Mesh.Axis("filter", 2));
    PlannedGroups groups = PlannedGroups.onOneHost(mesh, 1);
    LocalNetwork local = Planner.plan(LeNet.spec(10), mesh, Strategy.USUAL, 1, groups::transfer);
    PlannedStep step = PlannedStep.of(SAMPLES);
    List<String> lines =
        new PlanReport(
                mesh,
                1,
                local,
                PlanTraffic.of(local, groups, step),
                new StepTraffic(new Cost(1, 40), new Cost(2, 16), new Cost(0, 0), new Cost(2, 16)),
                PlanMemory.of(local, groups, step, 1, 1))
            .lines();
    String all = String.join("\n", lines);
    for (NetworkSpec.Node node : LeNet.spec(10).nodes()) {
      assertTrue(all.contains("\n" + node.name() + " "), all);
    }
    assertTrue(all.contains("allgather / reduce-scatter"), all);
    assertTrue(all.contains("sends per step: "), all);
    assertTrue(all.contains("samples 40 B, loss 16 B, norms 0 B, stop requests 16 B)"), all);
  }
}
