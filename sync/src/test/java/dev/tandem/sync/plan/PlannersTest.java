package dev.tandem.sync.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.GradientGraph;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.sync.compress.Compression;
import dev.tandem.sync.plan.RequestGraph.Tensor;
import dev.tandem.sync.request.GradientRule;
import dev.tandem.sync.request.Signature;
import dev.tandem.testkit.TestSeed;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PlannersTest {

  private static final TopologyPlanner TOPO = new TopologyPlanner(400);

  private static List<List<String>> names(FusionPlan plan) {
    return plan.buffers().stream()
        .map(buffer -> buffer.stream().map(Tensor::name).toList())
        .toList();
  }

  /** Note [TOPO deadlock freedom], the invariant. */
  @Test
  void ancestorsOfABufferLieInEarlierOnes() {
    Seed seed = TestSeed.of(getClass());
    for (int i = 0; i < 5_000; i++) {
      SplittableRandom random = seed.derive(i).random();
      RandomGraphs.Sample sample = RandomGraphs.sample(random, 1 + random.nextInt(40));
      FusionPlan plan = TOPO.plan(sample.graph());
      assertEquals(sample.graph().tensors().size(), plan.tensors());
      for (int node = 0; node < sample.names().size(); node++) {
        if (sample.names().get(node) != null) {
          int buffer = plan.place(sample.names().get(node)).orElseThrow().buffer();
          for (int ancestor : ancestors(sample, node)) {
            if (sample.names().get(ancestor) != null) {
              int before = plan.place(sample.names().get(ancestor)).orElseThrow().buffer();
              assertTrue(before < buffer, () -> "graph " + plan + " of " + sample);
            }
          }
        }
      }
      for (List<Tensor> buffer : plan.buffers()) {
        long bytes = buffer.stream().mapToLong(tensor -> tensor.signature().bytes()).sum();
        assertTrue(buffer.size() == 1 || bytes <= TOPO.capBytes());
      }
    }
  }

  private static Set<Integer> ancestors(RandomGraphs.Sample sample, int node) {
    Set<Integer> found = new HashSet<>();
    Deque<Integer> left = new ArrayDeque<>(sample.parents().get(node));
    while (!left.isEmpty()) {
      int next = left.pop();
      if (found.add(next)) {
        left.addAll(sample.parents().get(next));
      }
    }
    return found;
  }

  @Test
  void theExampleOfTheThesis() {
    // Figures 6.13 and 6.14: 0 before 2 before 3; 1 is a sibling of 0; 4 lies deeper than 1.
    RequestGraph.Builder builder = new RequestGraph.Builder();
    Signature signature = Signature.sum(DType.FLOAT32, Shape.of(1));
    int root = builder.node();
    int[] reduce = new int[5];
    for (int i = 0; i < reduce.length; i++) {
      reduce[i] = builder.request("allreduce" + i, signature);
    }
    int between = builder.node();
    int deep = builder.node();
    int deeper = builder.node();
    builder.edge(root, reduce[0]);
    builder.edge(root, reduce[1]);
    builder.edge(reduce[0], reduce[2]);
    builder.edge(reduce[2], reduce[3]);
    builder.edge(root, between);
    builder.edge(between, deep);
    builder.edge(deep, deeper);
    builder.edge(deeper, reduce[4]);
    FusionPlan plan = new TopologyPlanner(1 << 20).plan(builder.build());
    assertEquals(
        List.of(
            List.of("allreduce0", "allreduce1"),
            List.of("allreduce2"),
            List.of("allreduce3", "allreduce4")),
        names(plan));
  }

  @Test
  void whatNoFetchNeedsIsNotPlanned() {
    RequestGraph.Builder builder = new RequestGraph.Builder();
    Signature signature = Signature.sum(DType.FLOAT32, Shape.of(1));
    int wanted = builder.request("wanted", signature);
    int needed = builder.request("needed", signature);
    builder.request("other", signature);
    builder.edge(needed, wanted);
    builder.fetch(wanted);
    FusionPlan plan = new TopologyPlanner(1 << 20).plan(builder.build());
    assertEquals(List.of(List.of("needed"), List.of("wanted")), names(plan));
  }

  @Test
  void aCycleIsRefused() {
    RequestGraph.Builder builder = new RequestGraph.Builder();
    int a = builder.node();
    int b = builder.node();
    builder.edge(a, b);
    builder.edge(b, a);
    RequestGraph graph = builder.build();
    assertThrows(IllegalArgumentException.class, () -> TOPO.plan(graph));
  }

  @Test
  void theHashTellsPlansApart() {
    assertEquals(chain(5, 3).hash(), chain(5, 3).hash());
    assertNotEquals(chain(5, 3).hash(), chain(6, 3).hash());
    assertNotEquals(chain(5, 3).hash(), chain(5, 4).hash());
  }

  private static FusionPlan chain(int layers, long elements) {
    RequestGraph.Builder builder = new RequestGraph.Builder();
    for (int i = 0; i < layers; i++) {
      builder.request("layer" + i, Signature.sum(DType.FLOAT32, Shape.of(elements)));
    }
    return new TopologyPlanner(1 << 20).plan(builder.build());
  }

  @Test
  void bucketsFillUpInTheOrderOfReadinessBehindASmallFirstOne() {
    RequestGraph.Builder builder = new RequestGraph.Builder();
    for (int i = 0; i < 7; i++) {
      builder.request("g" + i, Signature.sum(DType.FLOAT32, Shape.of(25)));
    }
    FusionPlan plan = new BucketPlanner(300, 100).plan(builder.build());
    assertEquals(
        List.of(List.of("g0"), List.of("g1", "g2", "g3"), List.of("g4", "g5", "g6")), names(plan));
  }

  /** Weights of 100 bytes that are compressed, and biases of 4 that are not, take turns. */
  @Test
  void tensorsOfDifferentKindsDoNotKeepEachOtherFromFusing() {
    RequestGraph.Builder builder = new RequestGraph.Builder();
    Signature weight = Signature.sum(DType.FLOAT32, Shape.of(25));
    for (int i = 0; i < 6; i++) {
      builder.request("w" + i, weight.compressed(Compression.of("one-bit")));
      builder.request("b" + i, Signature.sum(DType.FLOAT32, Shape.of(1)));
    }
    RequestGraph graph = builder.build();
    assertEquals(
        List.of(
            List.of("w0", "w1", "w2"),
            List.of("b0", "b1", "b2"),
            List.of("w3", "w4", "w5"),
            List.of("b3", "b4", "b5")),
        names(new TopologyPlanner(312).plan(graph)));
    assertEquals(
        List.of(
            List.of("w0", "w1", "w2"),
            List.of("w3", "w4", "w5"),
            List.of("b0", "b1", "b2", "b3", "b4", "b5")),
        names(new BucketPlanner(300, 300).plan(graph)));
  }

  @Test
  void statisticsOfBatchNormalisationComeWhereThePassesWaitForThem() {
    GradientGraph network = normalisedNetwork();
    FusionPlan plan =
        new TopologyPlanner(1 << 20)
            .plan(TrainingGraph.withStatistics(network, GradientRule.SUM, 1));
    List<List<String>> names = names(plan);
    int forward = bufferOf(names, TrainingGraph.forwardStatistics("norm", 0));
    int backward = bufferOf(names, TrainingGraph.backwardStatistics("norm", 0));
    assertEquals(0, forward);
    assertTrue(backward < bufferOf(names, "convolution.weight"));
    assertEquals(
        List.of(List.of("last.weight", "norm.weight", "convolution.weight")),
        names(new TopologyPlanner(1 << 20).plan(TrainingGraph.of(network))));
    assertEquals(
        1 + 2 * 4,
        plan.place(TrainingGraph.forwardStatistics("norm", 0))
            .orElseThrow()
            .tensor()
            .signature()
            .shape()
            .elements());
  }

  private static int bufferOf(List<List<String>> names, String name) {
    for (int i = 0; i < names.size(); i++) {
      if (names.get(i).contains(name)) {
        return i;
      }
    }
    throw new AssertionError(name + " is not in " + names);
  }

  static GradientGraph normalisedNetwork() {
    return new GradientGraph(
        List.of(
            new GradientGraph.Node(
                "convolution", "convolution", List.of(GradientGraph.INPUT), Shape.of(4, 8, 8)),
            new GradientGraph.Node("norm", "batch-norm", List.of("convolution"), Shape.of(4, 8, 8)),
            new GradientGraph.Node("last", "fully-connected", List.of("norm"), Shape.of(10))),
        List.of(
            new GradientGraph.Parameter("last.weight", "last", DType.FLOAT32, Shape.of(10, 256)),
            new GradientGraph.Parameter("norm.weight", "norm", DType.FLOAT32, Shape.of(4)),
            new GradientGraph.Parameter(
                "convolution.weight", "convolution", DType.FLOAT32, Shape.of(4, 3, 3, 3))));
  }

  /** As many nodes and edges as the published graph of ResNet-152. */
  @Test
  void planningIsQuickAndLinear() {
    SplittableRandom random = TestSeed.of(getClass()).random();
    RequestGraph published = layered(random, 11_128, 16_956);
    long small = leastNanos(published, 20);
    System.out.printf("plan of 11,128 nodes and 16,956 edges: %.2f ms%n", small / 1e6);
    // A loaded machine may be a few times slower than one that measures.
    assertTrue(small < 30_000_000, () -> "planning took " + small + " ns");
    RequestGraph large = layered(random, 1_000_000, 1_524_000);
    long much = leastNanos(large, 3);
    System.out.printf("plan of 1,000,000 nodes and 1,524,000 edges: %.0f ms%n", much / 1e6);
    // 90 times the nodes; memory that no longer fits into caches costs another factor.
    assertTrue(much < 90 * 12 * small, () -> "%d ns for 90 times %d ns".formatted(much, small));
  }

  private static long leastNanos(RequestGraph graph, int times) {
    long[] nanos = new long[times];
    for (int i = 0; i < times; i++) {
      long began = System.nanoTime();
      new TopologyPlanner(64 << 20).plan(graph);
      nanos[i] = System.nanoTime() - began;
    }
    return Arrays.stream(nanos).min().orElseThrow();
  }

  private static RequestGraph layered(SplittableRandom random, int nodes, int edges) {
    RequestGraph.Builder builder = new RequestGraph.Builder();
    Signature signature = Signature.sum(DType.FLOAT32, Shape.of(1000));
    for (int i = 0; i < nodes; i++) {
      if (i % 24 == 0) {
        builder.request("t" + i, signature);
      } else {
        builder.node();
      }
      if (i > 0) {
        builder.edge(Math.max(0, i - 1 - random.nextInt(30)), i);
      }
    }
    for (int i = nodes - 1; i < edges; i++) {
      int child = 1 + random.nextInt(nodes - 1);
      builder.edge(random.nextInt(child), child);
    }
    return builder.build();
  }
}
