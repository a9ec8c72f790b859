package dev.tandem.parallel.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.collective.CollectiveSettings;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Adam;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Loss;
import dev.tandem.nn.Network;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.NetworkPart;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.ParameterMemory;
import dev.tandem.nn.Samples;
import dev.tandem.nn.TensorBytes;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.models.CaffeCifar;
import dev.tandem.nn.models.CosmoFlow;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.models.TransformerEncoder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.Planner;
import dev.tandem.parallel.RankThreads;
import dev.tandem.parallel.exchange.MeshGroups;
import dev.tandem.parallel.exchange.MeshGroups.Use;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.shard.ShardStage;
import dev.tandem.parallel.shard.ShardedMemory;
import dev.tandem.parallel.stage.Schedule;
import dev.tandem.parallel.stage.StageCuts;
import dev.tandem.parallel.stage.StageGroups;
import dev.tandem.parallel.stage.StageRun;
import dev.tandem.parallel.strategy.Strategy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The most that the engine's tensors have in training steps is what the plan says. */
class CountedMemoryTest {

  private static final int RANKS = 2;
  private static final int STEPS = 2;
  private static final int PIECES = 4;

  /** What the formula may be off by, of what is counted. */
  private static final double TOLERANCE = 0.02;

  /** Mean and square. */
  private static final int STATE_VALUES = 2;

  private static final Adam.Settings ADAM = new Adam.Settings(0.9, 0.999, 1e-8, 0, true);

  private static final List<String> AXES =
      List.of(Mesh.DATA, "height", "filter", "channel", "alternate");

  private static final List<StageRun.Manner> MANNERS =
      List.of(
          new StageRun.Manner(new Schedule.OneForwardOneBackward(), false),
          new StageRun.Manner(new Schedule.Gpipe(), false),
          new StageRun.Manner(new Schedule.Gpipe(), true));

  enum Model {
    CIFAR(16),
    TRANSFORMER(8),
    COSMOFLOW(2),
    RESNET18(8);

    private static final Set<Model> QUICK = EnumSet.range(CIFAR, COSMOFLOW);

    private final int batch;

    Model(int batch) {
      this.batch = batch;
    }

    NetworkSpec spec() {
      return switch (this) {
        case CIFAR -> CaffeCifar.spec(10);
        case TRANSFORMER -> TransformerEncoder.small(10);
        case COSMOFLOW -> CosmoFlow.spec(32, 4);
        case RESNET18 -> ResNet.small(18, 10);
      };
    }
  }

  private static <T> Stream<Arguments> each(Collection<T> ways) {
    return Model.QUICK.stream()
        .flatMap(model -> ways.stream().map(way -> Arguments.of(model, way)));
  }

  private static Stream<Arguments> splits() {
    return each(AXES);
  }

  private static Stream<Arguments> rows() {
    return each(List.of(ShardStage.values()));
  }

  private static Stream<Arguments> stages() {
    return each(MANNERS);
  }

  @ParameterizedTest
  @MethodSource("splits")
  void splitNetworks(Model model, String axis) throws Exception {
    check(model, axis, Optional.empty());
  }

  @Tag("slow")
  @Test
  void residualNetworks() throws Exception {
    for (String axis : AXES) {
      check(Model.RESNET18, axis, Optional.empty());
    }
    for (ShardStage stage : ShardStage.values()) {
      check(Model.RESNET18, Mesh.DATA, Optional.of(stage));
    }
    for (StageRun.Manner manner : MANNERS) {
      check(Model.RESNET18, manner);
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void rowsOfParameters(Model model, ShardStage stage) throws Exception {
    check(model, Mesh.DATA, Optional.of(stage));
  }

  private static void check(Model model, String axis, Optional<ShardStage> stage) throws Exception {
    Mesh mesh = Mesh.of(new Mesh.Axis(axis, RANKS));
    int samples = axis.equals(Mesh.DATA) ? model.batch / RANKS : model.batch;
    RankThreads.run(
        RANKS,
        all -> {
          PlannedGroups planned = groups(mesh, all.rank());
          PlannedStep step = PlannedStep.of(samples);
          PlanMemory expected =
              PlanMemory.of(
                  Planner.plan(model.spec(), mesh, Strategy.USUAL, all.rank(), planned::transfer),
                  planned,
                  stage.map(step::sharding).orElse(step),
                  STATE_VALUES,
                  1);
          Engine engine = Engine.start(1);
          try (MeshGroups groups = new MeshGroups(all, mesh)) {
            LocalNetwork local =
                Planner.plan(model.spec(), mesh, Strategy.USUAL, all.rank(), groups::transfer);
            local.sums().values().forEach(axes -> groups.need(Use.GRADIENTS, withData(axes)));
            groups.need(Use.GRADIENTS, Set.of(Mesh.DATA));
            groups.form();
            Optional<ShardedMemory> memory =
                stage.map(
                    each ->
                        new ShardedMemory(
                            engine, local.spec(), DType.FLOAT32, each, all, Map.of()));
            try (Network network = network(engine, local, memory.map(each -> each));
                Optimizer optimizer = new Adam(network, ADAM)) {
              Samples batch = samples(network, local, samples);
              for (int i = 0; i < STEPS; i++) {
                step(groups, local, network, memory, batch, i);
                optimizer.step(1e-4);
              }
              assertPlanned(expected, engine.memory(), model, all.rank());
            }
          }
          assertEquals(0, engine.memory().current());
          return null;
        });
  }

  private static void step(
      MeshGroups groups,
      LocalNetwork local,
      Network network,
      Optional<ShardedMemory> memory,
      Samples batch,
      int number) {
    Optional<ShardedMemory> rows = memory.filter(each -> each.stage() != ShardStage.OPTIMIZER);
    network.forwardBackward(
        batch,
        TrainingStep.of(new Seed(1), number)
            .withListener(
                (_, parameter, _) -> rows.ifPresent(each -> each.reduceGradient(parameter))));
    if (rows.isPresent()) {
      rows.get().awaitGradients();
      return;
    }
    for (TensorView gradient : network.gradients()) {
      groups
          .along(Use.GRADIENTS, withData(local.sums().getOrDefault(gradient.name(), Set.of())))
          .allreduce(gradient.data(), gradient.dtype(), ReduceOp.SUM);
    }
  }

  @ParameterizedTest
  @MethodSource("stages")
  void stages(Model model, StageRun.Manner manner) throws Exception {
    check(model, manner);
  }

  private static void check(Model model, StageRun.Manner manner) throws Exception {
    StageCuts cuts = new StageCuts(LocalNetwork.undivided(model.spec()), Set.of());
    int middle = model.spec().nodes().size() / 2;
    List<Integer> begins = cuts.begins(List.of(model.spec().nodes().get(middle).name()), RANKS);
    Mesh mesh = Mesh.of(new Mesh.Axis(Mesh.PIPELINE, RANKS));
    int pieces = Math.min(PIECES, model.batch);
    RankThreads.run(
        RANKS,
        all -> {
          Engine engine = Engine.start(1);
          try (StageGroups groups = StageGroups.of(all, mesh)) {
            LocalNetwork local = cuts.stage(begins, all.rank(), groups.before(), groups.after());
            PlanMemory expected =
                PlanMemory.of(
                    local,
                    groups(mesh, all.rank()),
                    PlannedStep.of(model.batch).inPasses(pieces, manner.recompute()),
                    STATE_VALUES,
                    manner.schedule().open(all.rank(), RANKS, pieces));
            try (Network network = network(engine, local, Optional.empty());
                Optimizer optimizer = new Adam(network, ADAM)) {
              StageRun run = new StageRun(network, groups, manner, all.rank(), RANKS);
              for (int i = 0; i < STEPS; i++) {
                List<StageRun.Piece> parts = new ArrayList<>();
                for (int piece = 0; piece < pieces; piece++) {
                  int from = model.batch * piece / pieces;
                  int count = model.batch * (piece + 1) / pieces - from;
                  Samples samples = samples(network, local, count);
                  parts.add(
                      new StageRun.Piece(
                          count,
                          () -> samples,
                          TrainingStep.of(new Seed(1), i).withFirstSample(from)));
                }
                run.run(parts, _ -> {});
                optimizer.step(1e-4);
              }
              assertPlanned(expected, engine.memory(), model, all.rank());
            }
          }
          return null;
        });
  }

  private static void assertPlanned(
      PlanMemory expected, TensorBytes counted, Model model, int rank) {
    assertEquals(
        (double) counted.peak(),
        (double) expected.total(),
        TOLERANCE * (double) counted.peak(),
        "%s at rank %d: %s".formatted(model, rank, expected));
  }

  private static PlannedGroups groups(Mesh mesh, int rank) {
    return new PlannedGroups(
        mesh, rank, Collections.nCopies(mesh.size(), 0), true, CollectiveSettings.DEFAULT);
  }

  private static Set<String> withData(Set<String> axes) {
    Set<String> all = new HashSet<>(axes);
    all.add(Mesh.DATA);
    return all;
  }

  private static Network network(
      Engine engine, LocalNetwork local, Optional<ParameterMemory> memory) {
    return Network.create(
        engine,
        local.spec(),
        new Seed(1),
        NetworkOptions.DEFAULT,
        new NetworkPart(local.whole(), local.regions(), Optional.empty(), local.inputSamples()),
        memory);
  }

  private static Samples samples(Network network, LocalNetwork local, int count) {
    long held = local.inputSamples().count(count) * local.spec().input().elements();
    MemorySegment inputs = Arena.ofAuto().allocate(held * Float.BYTES, 64);
    long values =
        network.loss().target() == Loss.Target.LABEL
            ? Long.BYTES
            : (long) local.spec().classes() * Float.BYTES;
    MemorySegment targets = Arena.ofAuto().allocate(count * values, 64);
    return new Samples(inputs, targets, count);
  }
}
