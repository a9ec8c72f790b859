package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.GlyphDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That training works: the examples reach what they promise, in two processes. */
@Tag("slow")
class TrainingShowsTest {

  private static final Path EXAMPLES = Path.of("..", "examples");
  private static final Path FASHION = Path.of("/usr/share/datasets/fashion-mnist");

  /** On two cores. */
  private static final double FIVE_MINUTES = 300;

  @TempDir Path folder;

  private JsonNode train(String example, String... settings) throws Exception {
    Path json = folder.resolve("out.json");
    List<Object> arguments =
        new ArrayList<>(
            List.of("train", EXAMPLES.resolve(example), "-n", 2, "--runs", folder, "--json", json));
    for (String setting : settings) {
      arguments.addAll(List.of("--set", setting));
    }
    CommandRun.done(arguments.toArray());
    JsonNode results = new ObjectMapper().readTree(json.toFile());
    System.out.printf("%s %s: %s%n", example, List.of(settings), results);
    return results;
  }

  private static void assertAccuracy(double least, JsonNode results) {
    assertTrue(results.path("accuracy").asDouble() >= least, results.toString());
  }

  @Test
  void glyphs() throws Exception {
    GlyphDatabase.write(folder.resolve("train"), new Seed(1), 20_000, Progress.SILENT);
    GlyphDatabase.write(folder.resolve("test"), new Seed(2), 4_000, Progress.SILENT);
    assertAccuracy(
        0.98,
        train(
            "glyphs.yaml",
            "data.train=" + folder.resolve("train"),
            "data.test=" + folder.resolve("test")));
  }

  @Test
  void fashionMnistWithSmallAndLargeBatches() throws Exception {
    assumeTrue(Files.isDirectory(FASHION), "Debian's dataset-fashion-mnist is not installed");
    JsonNode small = train("fashion-mnist.yaml");
    assertAccuracy(0.91, small);
    assertTrue(small.path("totalSeconds").asDouble() < FIVE_MINUTES, small.toString());
    JsonNode large = train("fashion-mnist-lars.yaml");
    assertAccuracy(small.path("accuracy").asDouble() - 0.01, large);
  }

  @Test
  void cifarNetworkOnColouredDigits() throws Exception {
    assertAccuracy(0.9, train("cifar-shaped.yaml", colouredDigits()));
  }

  @Test
  void resNetOnColouredDigits() throws Exception {
    assertAccuracy(0.9, train("cifar-shaped-resnet.yaml", colouredDigits()));
  }

  private String[] colouredDigits() throws Exception {
    Path data = Files.createDirectory(folder.resolve("digits"));
    Path train = data.resolve("train");
    Path test = data.resolve("test");
    CommandRun.done("data", "make", "--kind", "digits", "--records", 8000, "--seed", 1, train);
    CommandRun.done("data", "make", "--kind", "digits", "--records", 2000, "--seed", 2, test);
    return new String[] {"data.train=" + train, "data.test=" + test};
  }
}
