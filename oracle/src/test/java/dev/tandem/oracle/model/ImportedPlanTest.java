package dev.tandem.oracle.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.collective.Cost;
import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.spec.LayerCost;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.oracle.cluster.Cluster;
import dev.tandem.oracle.cluster.ClusterFile;
import dev.tandem.oracle.model.ModelSource.Changes;
import dev.tandem.oracle.profile.RooflineLayers;
import dev.tandem.oracle.projection.Candidate;
import dev.tandem.oracle.projection.Environment;
import dev.tandem.oracle.projection.Phase;
import dev.tandem.oracle.projection.Projection;
import dev.tandem.oracle.projection.Projector;
import dev.tandem.oracle.projection.Term;
import dev.tandem.oracle.projection.Workload;
import dev.tandem.parallel.StrategyText;
import dev.tandem.parallel.cost.PlanMemory;
import dev.tandem.parallel.cost.PlanTraffic;
import dev.tandem.testkit.Python;
import java.nio.file.Path;
import java.util.EnumSet;
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
        List.of(
            "data=16",
            "filter=4",
            "channel=4",
            "data=4,spatial=2x2",
            "data=4,filter=4",
            "pipeline=8",
            "pipeline=4,data=4")) {
      assertEquals(plan(builtIn, strategy), plan(imported, strategy), strategy);
    }
  }

  private static List<Layer> layers(NetworkSpec network) {
    return LayerCost.of(network, Set.of()).stream().map(Layer::of).toList();
  }

  /** What a plan says, whatever layers are called. */
  private record Plan(
      Map<Phase, Double> seconds,
      List<Cost> traffic,
      List<Long> memory,
      List<Long> activations,
      long total) {}

  private static Plan plan(NetworkSpec network, String strategy) {
    Cluster cluster = ClusterFile.read("abci").withDevices(16);
    Set<Term> terms = EnumSet.allOf(Term.class);
    Projector projector =
        new Projector(
            Workload.of(network, 1_281_167, 256),
            Environment.of(cluster, new RooflineLayers(cluster.device(), DType.FLOAT32), terms, 1),
            terms);
    StrategyText text = StrategyText.parse(strategy);
    Candidate candidate = Candidate.of(text.mesh(text.leastRanks(), 2));
    Projection projection = projector.project(candidate);
    PlanMemory memory = projection.memory();
    return new Plan(
        projection.seconds(),
        projector.traffic(candidate).items().stream().map(PlanTraffic.Item::cost).toList(),
        List.of(memory.parameters(), memory.gradients(), memory.state()),
        List.copyOf(memory.activations().values()),
        memory.total());
  }
}
