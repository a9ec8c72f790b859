package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.GlyphDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code strategy: auto}. */
class AutomaticStrategyTest {

  private static final Path EXAMPLE = Path.of("..", "examples", "auto.yaml");

  @TempDir Path folder;

  @Test
  void theExampleTrainsWithTheStrategyThatWasChosenAndResumesWithIt() throws Exception {
    GlyphDatabase.write(folder.resolve("train"), new Seed(1), 300, Progress.SILENT);
    GlyphDatabase.write(folder.resolve("test"), new Seed(2), 50, Progress.SILENT);
    Object[] words = {
      "train",
      EXAMPLE,
      "-n",
      2,
      "--runs",
      folder.resolve("runs"),
      "--name",
      "auto",
      "--set",
      "data.train=" + folder.resolve("train"),
      "--set",
      "data.test=" + folder.resolve("test"),
      "--set",
      "batch.global=10",
      "--set",
      "epochs=1"
    };
    String out = CommandRun.done(words).out();
    assertTrue(out.startsWith("strategy: "), out);
    assertTrue(out.contains("ways on 2 processes by the peak of its processor"), out);
    assertTrue(out.contains("not measured"), out);
    String config = Files.readString(folder.resolve("runs/auto/config.yaml"));
    assertFalse(config.contains("auto\n  layers"), config);
    compared(folder.resolve("runs/auto"));
    words[words.length - 1] = "epochs=2";
    Object[] again = Arrays.copyOf(words, words.length + 1);
    again[words.length] = "--resume";
    String resumed = CommandRun.done(again).out();
    assertFalse(resumed.contains("the fastest of"), resumed);
    assertEquals(
        strategy(config), strategy(Files.readString(folder.resolve("runs/auto/config.yaml"))));
  }

  /** The run has timed its layers, so its projection names one. */
  private void compared(Path run) throws Exception {
    Path json = folder.resolve("compared.json");
    String out = CommandRun.done("plan", "--measured", run, "--json", json).out();
    assertTrue(out.contains("30 steps of 2 processes"), out);
    JsonNode compared = new ObjectMapper().readTree(json.toFile());
    assertEquals(4, compared.path("phases").size());
    assertTrue(compared.path("iteration").path("measured").asDouble() > 0, out);
    String layer = compared.path("layer").asText();
    assertFalse(layer.isEmpty(), out);
    assertTrue(out.contains("of the layers " + layer), out);
  }

  private static String strategy(String config) {
    int begin = config.indexOf("strategy:");
    return config.substring(begin, config.indexOf("seed:", begin));
  }

  @Test
  void whatCannotBeChosenIsRefused() {
    assertEquals(
        "tandem: strategy auto plans for this machine alone: with --hosts name a strategy, which"
            + " ./tandem plan CONFIG --cluster FILE finds",
        CommandRun.failed(2, "train", EXAMPLE, "--hosts", "a:1,b:1"));
    String both = CommandRun.failed(2, "train", EXAMPLE, "--strategy", "auto,data=2");
    assertTrue(both.contains("leave the rest out"), both);
    String show = CommandRun.failed(2, "show", EXAMPLE, "-n", 2);
    assertTrue(show.contains("./tandem train"), show);
  }
}
