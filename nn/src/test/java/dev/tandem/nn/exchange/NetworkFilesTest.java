package dev.tandem.nn.exchange;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.Network;
import dev.tandem.nn.OneRank;
import dev.tandem.nn.models.DigitsNetwork;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LayerNorm;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.nn.weights.Answers;
import dev.tandem.nn.weights.ImportedNetwork;
import dev.tandem.nn.weights.Weights;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class NetworkFilesTest {

  @TempDir Path folder;

  @Test
  void filesAreWhatTheirEndingsSay() throws Exception {
    NetworkSpec spec = DigitsNetwork.spec();
    Path yaml = folder.resolve("network.yaml");
    Files.writeString(yaml, NetworkYaml.write(spec));
    assertEquals(spec, NetworkFiles.read(yaml).spec());
    assertTrue(NetworkFiles.read(yaml).weights().tensors().isEmpty());
    try (Network network = Answers.network(spec, new Seed(1))) {
      for (ExportFormat format : ExportFormat.values()) {
        NetworkFiles.write(folder.resolve("network." + format), format, network);
      }
      float[] samples = Answers.samples(spec, new Seed(2), 2);
      Path onnx = folder.resolve("network.ONNX");
      ImportedNetwork imported = NetworkFiles.read(onnx);
      assertEquals(spec, imported.spec());
      for (Path file : new Path[] {onnx, folder.resolve("network.SAFETENSORS")}) {
        try (Network other = Answers.network(spec, new Seed(3))) {
          NetworkFiles.weights(file).into(other, Weights.Unfit.REFUSED);
          assertArrayEquals(Answers.of(network, samples), Answers.of(other, samples));
        }
      }
    }
    assertEquals(ExportFormat.TORCHSCRIPT, ExportFormat.of(Path.of("model.pt")));
    assertThrows(UsageException.class, () -> ExportFormat.of(Path.of("model")));
    assertThrows(UsageException.class, () -> NetworkFiles.read(Path.of("model.pt")));
    assertThrows(UsageException.class, () -> NetworkFiles.weights(Path.of("model.pt")));
  }

  /** Files are of whole networks: the parts of a split one are not written. */
  @Test
  void exchangesAreRefused() {
    NetworkSpec spec = OneRank.network();
    assertRefused(() -> NetworkYaml.write(spec));
    try (Network network = Answers.network(spec, new Seed(1))) {
      for (ExportFormat format : List.of(ExportFormat.ONNX, ExportFormat.TORCHSCRIPT)) {
        Path file = folder.resolve("network." + format);
        assertRefused(() -> NetworkFiles.write(file, format, network));
        assertFalse(Files.exists(file));
      }
    }
  }

  private static void assertRefused(Executable work) {
    String message = assertThrows(UsageException.class, work).getMessage();
    assertEquals(
        "layer gather is where parts of a split network meet: files have whole networks", message);
  }

  @Test
  void anotherNumberOfClassesChangesTheClassifierAlone() {
    NetworkSpec spec = DigitsNetwork.spec();
    NetworkSpec other = spec.withClasses(3);
    assertEquals(3, other.classes());
    assertEquals(
        spec.nodes().subList(0, spec.nodes().size() - 1),
        other.nodes().subList(0, spec.nodes().size() - 1));
    assertEquals(spec, other.withClasses(10));
    NetworkSpec odd = NetworkSpec.of(Shape.of(4), new FullyConnected("a", 3), new LayerNorm("b"));
    var e = assertThrows(UsageException.class, () -> odd.withClasses(5));
    assertTrue(e.getMessage().contains("layer b"), e.getMessage());
  }
}
