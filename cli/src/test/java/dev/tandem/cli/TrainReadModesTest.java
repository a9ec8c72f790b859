package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.GlyphDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The read mode of a training, from its example and from the command line, in processes. */
class TrainReadModesTest {

  private static final Path EXAMPLE = Path.of("..", "examples", "read-modes.yaml");

  @TempDir static Path folder;

  @BeforeAll
  static void draw() {
    GlyphDatabase.write(folder.resolve("train"), new Seed(1), 300, Progress.SILENT);
    GlyphDatabase.write(folder.resolve("test"), new Seed(2), 50, Progress.SILENT);
  }

  private static Object[] arguments(String name, Object... more) {
    Object[] common = {
      "train",
      EXAMPLE,
      "-n",
      2,
      "--runs",
      folder.resolve("runs"),
      "--name",
      name,
      "--json",
      folder.resolve(name + ".json"),
      "--set",
      "data.train=" + folder.resolve("train"),
      "--set",
      "data.test=" + folder.resolve("test"),
      "--set",
      "batch.global=50"
    };
    Object[] all = new Object[common.length + more.length];
    System.arraycopy(common, 0, all, 0, common.length);
    System.arraycopy(more, 0, all, common.length, more.length);
    return all;
  }

  private static String digest(String name, Object... more) throws Exception {
    CommandRun.done(arguments(name, more));
    return new ObjectMapper()
        .readTree(folder.resolve(name + ".json").toFile())
        .path("digest")
        .asText();
  }

  @Test
  void theExampleTrainsAsOtherModesOfTheSameOrder() throws Exception {
    String expected = digest("example");
    assertEquals(expected, digest("lmm", "--read", "lmm", "--set", "data.cache=none"));
  }

  @Test
  void aModeInKeyOrderIsRefusedWithAShuffledOrder() {
    String said = CommandRun.failed(2, arguments("refused", "--set", "data.shuffle=index"));
    assertTrue(said.contains("read mode dio reads in key order"), said);
    String scanned =
        CommandRun.failed(2, "data", "scan", "--read", "dm", folder.resolve("train").toString());
    assertTrue(scanned.contains("read mode dm reads in key order"), scanned);
  }
}
