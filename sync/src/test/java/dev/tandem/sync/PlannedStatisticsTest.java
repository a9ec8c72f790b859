package dev.tandem.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.GradientGraph;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.sync.agent.SyncObserver;
import dev.tandem.sync.plan.TrainingGraph;
import dev.tandem.sync.request.GradientRule;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.RepeatedTest;

/**
 * One thread per rank that computes random networks with branches and batch normalisations, waits
 * for their statistics where the passes need them, and hands over gradients: all goes by the plan,
 * which no rank ever leaves, and every sum is right.
 */
class PlannedStatisticsTest {

  private static final int RANKS = 3;
  private static final int STEPS = 4;
  private static final int PASSES = 2;

  @RepeatedTest(3)
  void statisticsFollowThePlanInNetworksWithBranches() throws Exception {
    Seed seed = TestSeed.of(getClass());
    GradientGraph network = network(seed.random());
    Queue<String> remarks = new ConcurrentLinkedQueue<>();
    SyncObserver observer =
        new SyncObserver() {
          @Override
          public void remark(String line) {
            remarks.add(line);
          }
        };
    Ranks.run(
        RANKS,
        Duration.ofMinutes(1),
        communicator -> {
          try (Synchronizer synchronizer =
              Synchronizer.over(communicator, Policies.hasty("topo"))
                  .planning(TrainingGraph.withStatistics(network, GradientRule.SUM, PASSES))
                  .observedBy(observer)
                  .start()) {
            for (int step = 0; step < STEPS; step++) {
              step(network, synchronizer, communicator, step);
            }
          }
          return null;
        });
    assertEquals(
        List.of(), remarks.stream().filter(line -> line.contains("left")).toList(), "of " + seed);
  }

  private static void step(
      GradientGraph network, Synchronizer synchronizer, Communicator communicator, int step) {
    List<float[]> gradients = new ArrayList<>();
    for (int pass = 0; pass < PASSES; pass++) {
      for (GradientGraph.Node node : network.nodes()) {
        if (node.kind().equals("batch-norm")) {
          sum(synchronizer, communicator, TrainingGraph.forwardStatistics(node.name(), pass), 5);
        }
      }
      for (GradientGraph.Node node : network.nodes().reversed()) {
        for (GradientGraph.Parameter parameter : network.parameters()) {
          if (pass == PASSES - 1 && parameter.node().equals(node.name())) {
            float[] gradient = new float[Math.toIntExact(parameter.shape().elements())];
            Arrays.fill(gradient, communicator.rank() + step);
            gradients.add(gradient);
            synchronizer.submit(
                new TensorView(
                    parameter.name(),
                    DType.FLOAT32,
                    parameter.shape(),
                    MemorySegment.ofArray(gradient)),
                1);
          }
        }
        if (node.kind().equals("batch-norm")) {
          sum(synchronizer, communicator, TrainingGraph.backwardStatistics(node.name(), pass), 4);
        }
      }
    }
    synchronizer.await();
    for (float[] gradient : gradients) {
      for (float value : gradient) {
        assertEquals(RANKS * (RANKS - 1) / 2 + RANKS * step, value);
      }
    }
  }

  private static void sum(
      Synchronizer synchronizer, Communicator communicator, String name, int elements) {
    double[] values = new double[elements];
    Arrays.fill(values, communicator.rank());
    synchronizer.sum(
        new TensorView(name, DType.FLOAT64, Shape.of(elements), MemorySegment.ofArray(values)));
    for (double value : values) {
      assertEquals(RANKS * (RANKS - 1) / 2, value);
    }
  }

  /** Each layer takes one or two of those before it. */
  private static GradientGraph network(SplittableRandom random) {
    List<GradientGraph.Node> nodes = new ArrayList<>();
    List<GradientGraph.Parameter> parameters = new ArrayList<>();
    for (int i = 0; i < 14; i++) {
      String name = "layer" + i;
      String kind = random.nextInt(3) == 0 ? "batch-norm" : "convolution";
      List<String> inputs = new ArrayList<>();
      for (int input = 0; input < 1 + random.nextInt(2); input++) {
        int from = random.nextInt(Math.max(-1, i - 4), i + 1) - 1;
        String before = from < 0 ? GradientGraph.INPUT : "layer" + from;
        if (!inputs.contains(before)) {
          inputs.add(before);
        }
      }
      nodes.add(new GradientGraph.Node(name, kind, inputs, Shape.of(2, 4, 4)));
      parameters.addFirst(
          new GradientGraph.Parameter(
              name + ".weight", name, DType.FLOAT32, Shape.of(1 + random.nextInt(2_000))));
    }
    return new GradientGraph(nodes, parameters);
  }
}
