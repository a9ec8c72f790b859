package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShowTest {

  @TempDir Path folder;

  @Test
  void layersAndTotals() throws Exception {
    Path json = folder.resolve("o.json");
    String out = CommandRun.done("show", "../examples/glyphs.yaml", "-n", 2, "--json", json).out();
    assertTrue(
        out.contains(
            "conv2    convolution      [32, 14, 14]         4,640       1.8 M       3.6 M"),
        out);
    assertTrue(out.contains("1.5 GFLOP over 128 samples in 2 processes"), out);
    JsonNode results = new ObjectMapper().readTree(json.toFile());
    assertEquals(29_066, results.get("parameters").asLong());
    assertEquals(64, results.get("samplesPerPass").asInt());
    assertEquals(4 * 29_066, results.get("optimizerBytes").asLong());
    assertEquals(11, results.get("layers").size());

    String other =
        CommandRun.done("show", "../examples/glyphs.yaml", "--set", "network={model: lenet}").out();
    assertTrue(other.contains("fully-connected"), other);
  }

  @Test
  void runsAndMistakes() throws Exception {
    Files.copy(Path.of("../examples/glyphs.yaml"), folder.resolve("config.yaml"));
    CommandRun.done("show", folder);
    assertEquals(
        "tandem: --set epochs=0: epochs is 0, expected 1 or more",
        CommandRun.failed(2, "show", folder, "--set", "epochs=0"));
    Path empty = Files.createDirectory(folder.resolve("empty"));
    assertTrue(CommandRun.failed(2, "show", empty).contains("a folder without config.yaml"));
    assertTrue(CommandRun.failed(2, "show", folder.resolve("no.yaml")).contains("does not exist"));
    assertEquals(
        "tandem: -n must be at least 1, not 0", CommandRun.failed(2, "show", folder, "-n", 0));
  }
}
