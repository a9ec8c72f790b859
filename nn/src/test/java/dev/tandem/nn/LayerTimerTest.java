package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.LayerPass;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.testkit.TestSeed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Every pass of every layer is told once, with what it spent with other ranks apart. */
class LayerTimerTest {

  private static final Set<LayerPass> APART =
      EnumSet.of(LayerPass.FORWARD, LayerPass.BACKWARD_DATA, LayerPass.BACKWARD_WEIGHTS);
  private static final Set<LayerPass> WITHOUT_PARAMETERS =
      EnumSet.of(LayerPass.FORWARD, LayerPass.BACKWARD_DATA);
  private static final Set<LayerPass> AT_ONCE = EnumSet.of(LayerPass.FORWARD, LayerPass.BACKWARD);
  private static final Set<LayerPass> FIRST =
      EnumSet.of(LayerPass.FORWARD, LayerPass.BACKWARD_WEIGHTS);

  private static final Engine ENGINE = Engine.start(1);
  private static final int BATCH = 4;

  private record Told(String layer, LayerPass pass, long computing, long transferring) {}

  private final Seed seed = TestSeed.of(LayerTimerTest.class);
  private final List<Told> told = new ArrayList<>();
  private final LayerTimer timer =
      (layer, pass, computing, transferring) ->
          told.add(new Told(layer, pass, computing, transferring));

  private static final NetworkSpec SPEC =
      NetworkSpec.of(
          Shape.of(3, 8, 8),
          new Convolution("conv1", 4, 3, 1, 1),
          new BatchNorm("norm"),
          Activation.relu("relu"),
          new Convolution("conv2", 4, 3, 1, 1),
          GlobalPool.average("pool"),
          new FullyConnected("fc", 3));

  private static final Map<String, Set<LayerPass>> PASSES =
      new TreeMap<>(
          Map.of(
              "conv1", FIRST,
              "norm", AT_ONCE,
              "relu", WITHOUT_PARAMETERS,
              "conv2", APART,
              "pool", WITHOUT_PARAMETERS,
              "fc", APART));

  @Test
  void aStepTellsEveryPass() {
    try (Network network = Network.create(ENGINE, SPEC, seed)) {
      long begin = System.nanoTime();
      network.forwardBackward(batch(SPEC), TrainingStep.of(seed, 0).withTimer(timer));
      long all = System.nanoTime() - begin;
      assertEquals(PASSES, passes());
      assertTrue(told.stream().allMatch(each -> each.computing > 0 && each.transferring == 0));
      assertTrue(told.stream().mapToLong(Told::computing).sum() < all);
    }
  }

  @Test
  void batchesThatMeetAreToldTogether() {
    try (Network network = Network.create(ENGINE, SPEC, seed)) {
      TrainingStep step =
          TrainingStep.of(seed, 0)
              .withMeanOver(2 * BATCH)
              .withStatistics(StatisticsReducer.LOCAL)
              .withTimer(timer);
      network.forwardBackward(List.of(batch(SPEC), batch(SPEC)), step);
      assertEquals(PASSES, passes());
      assertTrue(longest("norm").transferring > 0);
      assertTrue(
          told.stream().allMatch(each -> each.layer.equals("norm") || each.transferring == 0));
    }
  }

  @Test
  void anEvaluationTellsForwardPasses() {
    try (Network network = Network.create(ENGINE, SPEC, seed)) {
      Evaluation timed = network.evaluate(batch(SPEC), timer);
      assertEquals(network.evaluate(batch(SPEC)), timed);
      List<String> order = SPEC.nodes().stream().map(NetworkSpec.Node::name).toList();
      assertEquals(order, told.stream().map(Told::layer).toList());
      assertTrue(told.stream().allMatch(each -> each.pass == LayerPass.FORWARD));
    }
  }

  /** A transfer takes time of its own; so does what is packed before it. */
  @Test
  void exchangesTellTransfersApart() {
    NetworkSpec spec = OneRank.network();
    try (Network network = Network.create(ENGINE, spec, seed)) {
      network.forwardBackward(batch(spec), TrainingStep.of(seed, 0).withTimer(timer));
      for (Told each : told) {
        LayerSpec layer =
            spec.nodes().stream()
                .map(NetworkSpec.Node::layer)
                .filter(one -> one.name().equals(each.layer))
                .findFirst()
                .orElseThrow();
        if (!(layer instanceof Exchange)) {
          assertEquals(0, each.transferring, each.toString());
        }
      }
      for (String exchange : List.of("gather", "sum")) {
        assertTrue(longest(exchange).transferring > 0, exchange);
        assertTrue(longest(exchange).computing > 0, exchange);
      }
    }
  }

  private Told longest(String layer) {
    return told.stream()
        .filter(each -> each.layer.equals(layer))
        .max(Comparator.comparingLong(Told::transferring))
        .orElseThrow();
  }

  private Map<String, Set<LayerPass>> passes() {
    Map<String, Set<LayerPass>> passes = new TreeMap<>();
    told.forEach(
        each ->
            passes
                .computeIfAbsent(each.layer, _ -> EnumSet.noneOf(LayerPass.class))
                .add(each.pass));
    return passes;
  }

  private Samples batch(NetworkSpec spec) {
    return Batches.random(seed, spec, DType.FLOAT32, BATCH).samples();
  }
}
