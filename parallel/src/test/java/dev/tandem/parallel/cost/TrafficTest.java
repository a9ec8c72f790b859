package dev.tandem.parallel.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.collective.CollectiveSettings;
import dev.tandem.comm.collective.Cost;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.transport.ThreadsTransport;
import dev.tandem.comm.transport.Traffic;
import dev.tandem.core.DType;
import dev.tandem.core.GradientGraph;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.NetworkPart;
import dev.tandem.nn.ParameterMemory;
import dev.tandem.nn.Samples;
import dev.tandem.nn.StatisticsReducer;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.models.LeNet;
import dev.tandem.nn.models.TransformerEncoder;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Transfer;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.Planner;
import dev.tandem.parallel.RankThreads;
import dev.tandem.parallel.StrategyText;
import dev.tandem.parallel.exchange.MeshGroups;
import dev.tandem.parallel.exchange.MeshGroups.Use;
import dev.tandem.parallel.exchange.NoTransfer;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.shard.ShardStage;
import dev.tandem.parallel.shard.ShardedMemory;
import dev.tandem.parallel.stage.Schedule;
import dev.tandem.parallel.stage.StageCuts;
import dev.tandem.parallel.stage.StageGroups;
import dev.tandem.parallel.stage.StageRun;
import dev.tandem.parallel.strategy.SpaceOptions;
import dev.tandem.parallel.strategy.Strategy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each rank sends in a step is what the plan says: bytes and steps, without tolerance. */
class TrafficTest {

  private static final int SAMPLES = 5;

  /** Strides, a projection, both normalisations, a global mean. */
  static NetworkSpec residual() {
    NetworkBuilder network = new NetworkBuilder(Shape.of(3, 16, 16));
    network.add(new Convolution("stem", 8, 3, 1, 1).withoutBias());
    network.add(new BatchNorm("stem.bn"));
    network.add(Activation.relu("stem.relu"));
    String start = network.add(new MaxPool("pool", 3, 2));
    network.add(new Convolution("left", 12, 3, 2, 1).withoutBias(), start);
    network.add(new GroupNorm("left.gn", 4));
    network.add(Activation.relu("left.relu"));
    String left = network.add(new Convolution("left2", 12, 3, 1, 1));
    network.add(new Convolution("right", 12, 1, 2, 0).withoutBias(), start);
    String right = network.add(new BatchNorm("right.bn"));
    network.add(new Add("sum"), left, right);
    network.add(Activation.relu("sum.relu"));
    network.add(GlobalPool.average("mean"));
    network.add(new FullyConnected("scores", 10));
    return network.build();
  }

  static PlannedGroups groups(Mesh mesh, int rank, boolean sharedMemory) {
    return new PlannedGroups(
        mesh, rank, Collections.nCopies(mesh.size(), 0), sharedMemory, CollectiveSettings.DEFAULT);
  }

  private static List<Communicator> threads(int size, boolean sharedMemory) {
    return ThreadsTransport.create(size, sharedMemory).stream().map(Communicator::over).toList();
  }

  private static void assertCounted(Cost expected, Traffic counted, Object what) {
    assertEquals(expected.bytesSent(), counted.bytesSent(), "bytes of " + what);
    assertEquals(expected.steps(), counted.steps(), "steps of " + what);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"data=3", "filter=3", "channel=2", "alternate=2", "spatial=2", "data=2,filter=2"})
  void splitNetworks(String words) throws Exception {
    Mesh mesh = StrategyText.parse(words).mesh(product(words), 2);
    check(residual(), mesh, Strategy.USUAL, true, true);
    check(residual(), mesh, Strategy.USUAL, false, false);
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "data=3",
        "filter=2",
        "filter=3",
        "filter=8",
        "channel=2",
        "channel=4",
        "alternate=3",
        "spatial=3",
        "spatial=2x2",
        "data=2,filter=2",
        "data=2,alternate=2",
        "data=2,spatial=2x2"
      })
  void moreSplitNetworks(String words) throws Exception {
    Mesh mesh = StrategyText.parse(words).mesh(product(words), 2);
    for (NetworkSpec network : List.of(residual(), LeNet.spec(10), TransformerEncoder.small(10))) {
      for (boolean sharedMemory : new boolean[] {true, false}) {
        check(network, mesh, Strategy.USUAL, sharedMemory, false);
        check(network, mesh, Strategy.USUAL.eagerly(), sharedMemory, false);
      }
    }
  }

  private static int product(String words) {
    return Arrays.stream(words.split("[^0-9]+"))
        .filter(word -> !word.isEmpty())
        .mapToInt(Integer::parseInt)
        .reduce(1, (a, b) -> a * b);
  }

  @Test
  void partsOfSpaceBecomeSamples() throws Exception {
    SpaceOptions space = new SpaceOptions(Optional.of("left.relu"), true, 0, SAMPLES);
    Mesh mesh = Mesh.of(new Mesh.Axis("height", 3));
    check(residual(), mesh, Strategy.USUAL.withSpace(space), true, false);
  }

  private static void check(
      NetworkSpec network, Mesh mesh, Strategy strategy, boolean sharedMemory, boolean synchronised)
      throws Exception {
    PlannedStep step =
        synchronised ? PlannedStep.of(SAMPLES).synchronising() : PlannedStep.of(SAMPLES);
    RankThreads.run(
        threads(mesh.size(), sharedMemory),
        all -> {
          PlannedGroups planned = groups(mesh, all.rank(), sharedMemory);
          PlanTraffic expected =
              PlanTraffic.of(
                  Planner.plan(network, mesh, strategy, all.rank(), planned::transfer),
                  planned,
                  step);
          try (MeshGroups groups = new MeshGroups(all, mesh)) {
            LocalNetwork local =
                Planner.plan(network, mesh, strategy, all.rank(), groups::transfer);
            local.sums().values().forEach(axes -> groups.need(Use.GRADIENTS, withData(axes)));
            groups.need(Use.STATISTICS, Set.of(Mesh.DATA));
            groups.form();
            Traffic counted = step(all, groups, local, Optional.empty(), synchronised);
            String what = "rank %d of %s, %s".formatted(all.rank(), mesh, strategy);
            assertCounted(expected.total(), counted, what);
            assertTrue(counted.bytesSent() > 0, what);
          }
          return null;
        });
  }

  private static Set<String> withData(Set<String> axes) {
    Set<String> all = new HashSet<>(axes);
    all.add(Mesh.DATA);
    return all;
  }

  /** One step of a rank; counts what it sends. */
  private static Traffic step(
      Communicator all,
      MeshGroups groups,
      LocalNetwork local,
      Optional<ShardedMemory> memory,
      boolean synchronised) {
    try (Network network = network(local, memory.map(each -> each))) {
      StatisticsReducer reducer =
          (layer, parts, total) -> {
            StatisticsReducer.LOCAL.sum(layer, parts, total);
            groups
                .along(Use.STATISTICS, Set.of(Mesh.DATA))
                .allreduce(total, DType.FLOAT64, ReduceOp.SUM);
          };
      TrainingStep step =
          TrainingStep.of(new Seed(1), 0)
              .withStatistics(synchronised ? reducer : null)
              .withListener(
                  (_, parameter, _) -> {
                    if (memory.isPresent() && memory.get().stage() != ShardStage.OPTIMIZER) {
                      memory.get().reduceGradient(parameter);
                    }
                  });
      Traffic before = all.traffic();
      network.forwardBackward(samples(local), step);
      if (memory.isPresent() && memory.get().stage() != ShardStage.OPTIMIZER) {
        memory.get().awaitGradients();
      } else {
        sumGradients(network, groups, local);
      }
      memory.ifPresent(ShardedMemory::updated);
      return all.traffic().since(before);
    }
  }

  private static Network network(LocalNetwork local, Optional<ParameterMemory> memory) {
    return Network.create(
        Engine.start(1),
        local.spec(),
        new Seed(1),
        NetworkOptions.DEFAULT,
        new NetworkPart(local.whole(), local.regions(), Optional.empty(), local.inputSamples()),
        memory);
  }

  private static Samples samples(LocalNetwork local) {
    long count = local.inputSamples().count(SAMPLES);
    MemorySegment inputs =
        Arena.ofAuto().allocate(count * local.spec().input().elements() * Float.BYTES, 64);
    MemorySegment labels = Arena.ofAuto().allocate((long) SAMPLES * Long.BYTES, 64);
    return new Samples(inputs, labels, SAMPLES);
  }

  private static void sumGradients(Network network, MeshGroups groups, LocalNetwork local) {
    Map<String, TensorView> gradients = new HashMap<>();
    network.gradients().forEach(gradient -> gradients.put(gradient.name(), gradient));
    for (GradientGraph.Parameter parameter : network.gradientGraph().parameters()) {
      Set<String> axes = local.sums().getOrDefault(parameter.name(), Set.of());
      groups
          .along(Use.GRADIENTS, withData(axes))
          .allreduce(gradients.get(parameter.name()).data(), parameter.dtype(), ReduceOp.SUM);
    }
  }

  @ParameterizedTest
  @EnumSource
  void rows(ShardStage stage) throws Exception {
    Mesh mesh = Mesh.of(new Mesh.Axis(Mesh.DATA, 3));
    for (boolean sharedMemory : new boolean[] {true, false}) {
      RankThreads.run(
          threads(mesh.size(), sharedMemory),
          all -> {
            PlannedGroups planned = groups(mesh, all.rank(), sharedMemory);
            LocalNetwork local = LocalNetwork.undivided(LeNet.spec(10));
            PlanTraffic expected =
                PlanTraffic.of(local, planned, PlannedStep.of(SAMPLES).sharding(stage));
            try (MeshGroups groups = new MeshGroups(all, mesh)) {
              groups.need(Use.GRADIENTS, Set.of(Mesh.DATA));
              groups.form();
              ShardedMemory memory =
                  new ShardedMemory(
                      Engine.start(1), local.spec(), DType.FLOAT32, stage, all, Map.of());
              Traffic counted = step(all, groups, local, Optional.of(memory), false);
              assertCounted(expected.total(), counted, stage + " at rank " + all.rank());
            }
            return null;
          });
    }
  }

  @Test
  void stages() throws Exception {
    StageCuts cuts = new StageCuts(LocalNetwork.undivided(residual()), Set.of());
    List<Integer> begins = cuts.begins(List.of("left", "left2"), 3);
    Mesh mesh = Mesh.of(new Mesh.Axis(Mesh.PIPELINE, 3));
    StageRun.Manner manner = new StageRun.Manner(new Schedule.OneForwardOneBackward(), false);
    RankThreads.run(
        threads(3, true),
        all -> {
          Transfer before = new NoTransfer(2, 1);
          Transfer after = new NoTransfer(2, 0);
          PlanTraffic expected =
              PlanTraffic.of(
                  cuts.stage(begins, all.rank(), Optional.of(before), Optional.of(after)),
                  groups(mesh, all.rank(), true),
                  PlannedStep.of(SAMPLES).inPasses(2, false));
          try (StageGroups groups = StageGroups.of(all, mesh)) {
            LocalNetwork local = cuts.stage(begins, all.rank(), groups.before(), groups.after());
            try (Network network = network(local, Optional.empty())) {
              StageRun run = new StageRun(network, groups, manner, all.rank(), 3);
              Traffic start = all.traffic();
              int half = SAMPLES / 2;
              run.run(List.of(piece(local, 0, half), piece(local, half, SAMPLES - half)), _ -> {});
              assertCounted(expected.total(), all.traffic().since(start), "stage " + all.rank());
            }
          }
          return null;
        });
  }

  private static StageRun.Piece piece(LocalNetwork local, int from, int count) {
    return new StageRun.Piece(
        count,
        () -> part(samples(local), local, from, count),
        TrainingStep.of(new Seed(1), 0).withFirstSample(from));
  }

  private static Samples part(Samples all, LocalNetwork local, int from, int count) {
    long bytes = local.spec().input().elements() * Float.BYTES;
    return new Samples(
        all.inputs().asSlice(from * bytes, count * bytes),
        all.targets().asSlice((long) from * Long.BYTES, (long) count * Long.BYTES),
        count);
  }

  @Test
  void itemsAreNamedAfterLayers() {
    Mesh mesh = Mesh.of(new Mesh.Axis("filter", 2));
    PlannedGroups planned = PlannedGroups.onOneHost(mesh, 0);
    PlanTraffic traffic =
        PlanTraffic.of(
            Planner.plan(LeNet.spec(10), mesh, Strategy.USUAL, 0, planned::transfer),
            planned,
            PlannedStep.of(SAMPLES));
    List<Long> parts = new ArrayList<>();
    for (PlanTraffic.Kind kind : PlanTraffic.Kind.values()) {
      parts.add(traffic.total(kind).bytesSent());
    }
    assertEquals(traffic.total().bytesSent(), parts.stream().mapToLong(Long::longValue).sum());
    Set<String> names = new HashSet<>();
    traffic.items().forEach(item -> names.add(item.layer()));
    assertEquals(
        traffic.total().bytesSent(),
        names.stream().mapToLong(name -> traffic.of(name).bytesSent()).sum());
    assertTrue(names.size() > 1);
  }
}
