package dev.tandem.oracle.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.models.CosmoFlow;
import dev.tandem.nn.models.LeNet;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.oracle.model.ModelSource.Changes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelSourceTest {

  private static final Path EXAMPLES = Path.of("..", "examples");

  @TempDir Path folder;

  private static NetworkSpec network(String model) {
    return ModelSource.read(model, Changes.NONE).network();
  }

  private static String refused(String model, Changes changes) {
    return assertThrows(UsageException.class, () -> ModelSource.read(model, changes)).getMessage();
  }

  @Test
  void builtIn() {
    assertEquals(ResNet.spec(50, 10), network("resnet50"));
    assertEquals(ResNet.spec(50, 1000), network("{model: resnet50, classes: 1000}"));
    assertEquals(CosmoFlow.spec(64, 4), network("{model: cosmoflow, extent: 64, filters: 4}"));
    Changes changes = new Changes(Optional.of(Shape.of(3, 226, 226)), OptionalInt.of(1000));
    ModelSource large = ModelSource.read("vgg16", changes);
    assertEquals("vgg16", large.name());
    assertEquals(Shape.of(3, 226, 226), large.network().input());
    assertEquals(1000, large.network().classes());
    assertTrue(large.training().isEmpty());
  }

  @Test
  void files() throws Exception {
    NetworkSpec leNet = LeNet.spec(10);
    Path yaml = Files.writeString(folder.resolve("net.yaml"), NetworkYaml.write(leNet));
    assertEquals(leNet, network(yaml.toString()));
    ModelSource training =
        ModelSource.read(EXAMPLES.resolve("glyphs.yaml").toString(), Changes.NONE);
    assertEquals(training.training().orElseThrow().network(), training.network());
    Files.copy(EXAMPLES.resolve("glyphs.yaml"), folder.resolve("config.yaml"));
    assertEquals(training.network(), network(folder.toString()), "a run");
  }

  @Test
  void mistakesAreOneLine() throws Exception {
    String unknown = refused("resnet5", Changes.NONE);
    assertTrue(unknown.startsWith("no model resnet5; expected a file"), unknown);
    assertTrue(unknown.endsWith("did you mean 'resnet50'?"), unknown);
    assertEquals(
        "model {model: lenet, class: 3}: model lenet: unknown key 'class'; known here: classes",
        refused("{model: lenet, class: 3}", Changes.NONE));
    Path odd = folder.resolve("odd.yaml");
    Files.writeString(odd, "model: lenet\n");
    assertTrue(refused(odd.toString(), Changes.NONE).contains("expected a network"));
    Files.writeString(
        odd, "input: [1, 28, 28]\nlayers:\n  - {name: a, type: convolutoin, kernel: 3}\n");
    String layer = refused(odd.toString(), Changes.NONE);
    assertTrue(layer.startsWith(odd + ":3: "), layer);
    assertTrue(layer.contains("did you mean 'convolution'?"), layer);
    Path words = Files.writeString(folder.resolve("model.pt"), "");
    assertTrue(refused(words.toString(), Changes.NONE).contains("expected .yaml or .onnx"));
    assertEquals(
        "model lenet: layer conv1: its window [5, 5] is larger than its input [1, 3, 3] with padding"
            + " [0, 0]",
        refused("lenet", new Changes(Optional.of(Shape.of(1, 3, 3)), OptionalInt.empty())));
    assertEquals(
        "--input is '3x', expected the extents of a sample, such as 3x224x224 (channels, height,"
            + " width)",
        assertThrows(UsageException.class, () -> Changes.shape("--input", "3x")).getMessage());
    assertEquals(Shape.of(4, 256, 256, 256), Changes.shape("--input", "4x256x256x256"));
  }

  /** Normalisations that an exporter folded are put back wherever convolutions have them. */
  @Test
  void unfolding() {
    NetworkSpec expected = ResNet.small(18, 10);
    NetworkSpec folded = TestNetworks.folded(expected);
    assertTrue(folded.nodes().size() < expected.nodes().size());
    Set<String> convolutions = TestNetworks.convolutions(folded);
    NetworkSpec again = FoldedNormalisations.unfold(folded, convolutions);
    assertEquals(expected.parameterCount(), again.parameterCount());
    assertEquals(expected.nodes().size(), again.nodes().size());
    assertEquals(expected.layerInputs(), again.layerInputs());
  }
}
