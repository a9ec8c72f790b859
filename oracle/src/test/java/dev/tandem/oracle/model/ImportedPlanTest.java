package dev.tandem.oracle.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.collective.Cost;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.spec.LayerCost;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.oracle.model.ModelSource.Changes;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.Planner;
import dev.tandem.parallel.StrategyText;
import dev.tandem.parallel.cost.PlanMemory;
import dev.tandem.parallel.cost.PlanTraffic;
import dev.tandem.parallel.cost.PlannedGroups;
import dev.tandem.parallel.cost.PlannedStep;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.strategy.Strategy;
import dev.tandem.testkit.Python;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A ResNet-50 that PyTorch wrote as ONNX has the same plans as the built-in one. */
class ImportedPlanTest {

  private static final int SAMPLES = 32;

  /** What a plan is made of, whatever the layers are called. */
  private record Layer(
      String kind, Shape output, long parameters, long activations, long forward, long backward) {

    static Layer of(LayerCost cost) {
      return new Layer(
          cost.kind(),
          cost.output(),
          cost.parameters(),
          cost.activations(),
          cost.forward(),
          cost.backward());
    }
  }

  @TempDir Path folder;

  @Test
  void writtenForInference() throws Exception {
    Path file = folder.resolve("resnet.onnx");
    Python.run(List.of("torch", "torch.nn"), TorchResNet.SCRIPT, file, "inference");
    ModelSource found = ModelSource.read(file.toString(), Changes.NONE);
    assertEquals(
        List.of(
            "resnet.onnx was written for inference: the batch normalisations folded into 53"
                + " convolutions are put back, as training has them"),
        found.notes());
    assertSamePlans(ResNet.spec(50, 1000), found.network());
  }

  @Test
  @Tag("slow")
  void writtenForTrainingWithImagesOfAnySize() throws Exception {
    Path file = folder.resolve("resnet.onnx");
    Python.run(List.of("torch", "torch.nn"), TorchResNet.SCRIPT, file, "training");
    String open =
        assertThrows(UsageException.class, () -> ModelSource.read(file.toString(), Changes.NONE))
            .getMessage();
    assertTrue(open.contains("the input image has the extents [?, 3, ?, ?]"), open);
    for (long pixels : new long[] {224, 226}) {
      Shape image = Shape.of(3, pixels, pixels);
      Changes changes = new Changes(Optional.of(image), OptionalInt.empty());
      ModelSource found = ModelSource.read(file.toString(), changes);
      assertEquals(List.of(), found.notes());
      assertSamePlans(ResNet.spec(50, 1000).withInput(image), found.network());
    }
  }

  private static void assertSamePlans(NetworkSpec builtIn, NetworkSpec imported) {
    assertEquals(builtIn.input(), imported.input());
    assertEquals(layers(builtIn), layers(imported));
    for (String strategy :
        List.of("data=4", "filter=4", "channel=4", "spatial=2x2", "data=2,filter=2")) {
      StrategyText text = StrategyText.parse(strategy);
      Mesh mesh = text.mesh(text.leastRanks(), 2);
      for (int rank : new int[] {0, text.leastRanks() - 1}) {
        assertEquals(
            plan(builtIn, mesh, rank), plan(imported, mesh, rank), strategy + ", rank " + rank);
      }
    }
  }

  /** In an order that does not depend on which branch of a block comes first. */
  private static List<Layer> layers(NetworkSpec network) {
    return LayerCost.of(network, Set.of()).stream()
        .map(Layer::of)
        .sorted(Comparator.comparing(Layer::toString))
        .toList();
  }

  private record Plan(Map<PlanTraffic.Kind, Cost> traffic, List<Long> memory, int layers) {}

  private static Plan plan(NetworkSpec network, Mesh mesh, int rank) {
    PlannedGroups groups = PlannedGroups.onOneHost(mesh, rank);
    LocalNetwork local = Planner.plan(network, mesh, Strategy.USUAL, rank, groups::transfer);
    PlannedStep step = PlannedStep.of(SAMPLES);
    PlanTraffic traffic = PlanTraffic.of(local, groups, step);
    Map<PlanTraffic.Kind, Cost> byKind = new EnumMap<>(PlanTraffic.Kind.class);
    for (PlanTraffic.Kind kind : PlanTraffic.Kind.values()) {
      byKind.put(kind, traffic.total(kind));
    }
    PlanMemory memory = PlanMemory.of(local, groups, step, 1, 1);
    List<Long> bytes = new ArrayList<>();
    bytes.addAll(List.of(memory.parameters(), memory.gradients(), memory.state()));
    // What is under way depends on which branch of a block comes first.
    bytes.addAll(List.of(memory.activationBytes(), memory.exchange()));
    return new Plan(byKind, bytes, local.spec().nodes().size());
  }
}
