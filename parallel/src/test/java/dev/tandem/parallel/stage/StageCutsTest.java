package dev.tandem.parallel.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.models.GoogLeNet;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.spec.Transfer;
import dev.tandem.parallel.LocalNetwork;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StageCutsTest {

  @Test
  void tensorsThatAreUsedLaterAreHandedOn() {
    StageCuts cuts = cuts(skipping(), Set.of());
    List<Integer> begins = cuts.begins(List.of("fc2", "fc3"), 3);
    LocalNetwork first = stage(cuts, begins, 0);
    LocalNetwork second = stage(cuts, begins, 1);
    LocalNetwork last = stage(cuts, begins, 2);
    assertEquals(List.of("fc1", "relu", "input.sent", "relu.sent"), names(first.spec()));
    assertEquals(
        List.of("input.received", "relu.received", "fc2", "input.sent", "relu.sent", "fc2.sent"),
        names(second.spec()));
    assertEquals(
        List.of("input.received", "relu.received", "fc2.received", "fc3", "sum", "scores"),
        names(last.spec()));
    assertEquals(List.of("relu.received"), second.spec().nodes().get(2).inputs());
    assertEquals(List.of("input.received"), second.spec().nodes().get(3).inputs());
    assertTrue(first.spec().outputs().isEmpty());
    assertEquals(1, last.spec().outputs().size());
    assertEquals(2, cuts.answering(begins));
    assertEquals(Set.of("fc2.weight", "fc2.bias"), second.regions().keySet());
    assertEquals(11, cuts.elementsForward(begins.get(1)));
    assertEquals(7, cuts.elementsBackward(begins.get(1)));
  }

  @Test
  void gradientsTravelToLayersThatLearn() {
    StageCuts cuts = cuts(skipping(), Set.of("fc1"));
    List<Integer> begins = cuts.begins(List.of("fc2", "fc3"), 3);
    for (NetworkSpec.Node node : stage(cuts, begins, 2).spec().nodes()) {
      if (node.layer() instanceof Exchange exchange) {
        assertEquals(node.name().equals("fc2.received"), exchange.learns(), node.name());
      }
    }
    assertEquals(0, cuts.elementsBackward(begins.get(1)));
  }

  @Test
  void allLayersAndOutputsAreInOneStage() {
    NetworkSpec network = GoogLeNet.spec(10, true);
    StageCuts cuts = cuts(network, Set.of());
    for (int stages = 1; stages <= 4; stages++) {
      double[] even = new double[network.nodes().size()];
      Arrays.fill(even, 1);
      List<Integer> begins = new Balance(cuts, even, new double[even.length]).begins(stages);
      List<String> layers = new ArrayList<>();
      List<String> parameters = new ArrayList<>();
      List<NetworkSpec.Output> outputs = new ArrayList<>();
      for (int stage = 0; stage < stages; stage++) {
        NetworkSpec own = stage(cuts, begins, stage).spec();
        own.nodes().stream()
            .filter(node -> !(node.layer() instanceof Exchange))
            .forEach(node -> layers.add(node.name()));
        own.parameters().stream().map(ParameterSpec::name).forEach(parameters::add);
        outputs.addAll(own.outputs());
      }
      assertEquals(names(network), layers);
      assertEquals(network.parameters().stream().map(ParameterSpec::name).toList(), parameters);
      assertEquals(Set.copyOf(network.outputs()), Set.copyOf(outputs));
      assertEquals(
          List.of(network.outputs().getFirst()),
          stage(cuts, begins, cuts.answering(begins)).spec().outputs().stream().limit(1).toList());
    }
  }

  @Test
  void whatCannotBeCutIsRefused() {
    StageCuts cuts = cuts(skipping(), Set.of());
    assertEquals("pipeline=8: only 4 layers can begin a stage", refusal(() -> cuts.check(8)));
    assertEquals(
        "pipeline.cuts must name 2 layers for 3 stages, not 1; cuts: auto finds them",
        refusal(() -> cuts.begins(List.of("fc2"), 3)));
    assertTrue(
        refusal(() -> cuts.begins(List.of("fc22"), 2))
            .startsWith("pipeline.cuts: no layer is named 'fc22'; similar names: fc2"));
    assertTrue(
        refusal(() -> cuts.begins(List.of("fc3", "fc2"), 3))
            .startsWith("pipeline.cuts: layer fc2 does not come after fc3"));
    assertEquals(
        "pipeline.cuts: stage 1 (relu to relu) has no layer with parameters",
        refusal(() -> cuts.begins(List.of("relu", "fc2"), 3)));
  }

  private static String refusal(Runnable work) {
    return assertThrows(UsageException.class, work::run).getMessage();
  }

  private static StageCuts cuts(NetworkSpec network, Set<String> frozen) {
    return new StageCuts(LocalNetwork.undivided(network), frozen);
  }

  private static LocalNetwork stage(StageCuts cuts, List<Integer> begins, int stage) {
    Optional<Transfer> nowhere = Optional.of(new Nowhere());
    return cuts.stage(begins, stage, nowhere, nowhere);
  }

  private static List<String> names(NetworkSpec spec) {
    return spec.nodes().stream().map(NetworkSpec.Node::name).toList();
  }

  /** The input and the first layers are used by the last ones, too. */
  private static NetworkSpec skipping() {
    NetworkBuilder builder = new NetworkBuilder(Shape.of(4));
    builder.add(new FullyConnected("fc1", 7));
    String relu = builder.add(Activation.relu("relu"));
    String second = builder.add(new FullyConnected("fc2", 7));
    String third = builder.add(new FullyConnected("fc3", 7), NetworkSpec.INPUT);
    builder.add(new Add("sum"), relu, second, third);
    builder.add(new FullyConnected("scores", 3));
    return builder.build();
  }

  /** Networks are only looked at. */
  private record Nowhere() implements Transfer {

    @Override
    public int size() {
      return 2;
    }

    @Override
    public int rank() {
      return 0;
    }

    @Override
    public void exchange(
        List<Integer> to,
        List<MemorySegment> outgoing,
        List<Integer> from,
        List<MemorySegment> incoming) {}

    @Override
    public void allgather(MemorySegment mine, MemorySegment all, long[] lengths) {}

    @Override
    public void reduceScatter(MemorySegment all, MemorySegment mine, long[] lengths, DType type) {}

    @Override
    public void allreduce(MemorySegment data, DType type) {}
  }
}
