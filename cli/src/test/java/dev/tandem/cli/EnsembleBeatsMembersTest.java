package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

/** Five small networks that learn apart answer better together than the best of them. */
@Tag("slow")
class EnsembleBeatsMembersTest {

  /** Where Debian's package dataset-fashion-mnist has it. */
  private static final Path FASHION = Path.of("/usr/share/datasets/fashion-mnist");

  @TempDir Path folder;

  @Test
  void fiveNetworksOnFashionMnistBeatTheBest() throws Exception {
    boolean fashion = Files.isDirectory(FASHION);
    if (!fashion) {
      GlyphDatabase.write(folder.resolve("train"), new Seed(1), 4_000, Progress.SILENT);
      GlyphDatabase.write(folder.resolve("test"), new Seed(2), 2_000, Progress.SILENT);
    }
    List<String> runs = new ArrayList<>();
    for (int seed = 1; seed <= 5; seed++) {
      Path config = folder.resolve("member-" + seed + ".yaml");
      Files.writeString(
          config,
          """
          network: {model: digits}
          data: {train: '%s', test: '%s'}
          batch: {global: 100}
          optimizer: {momentum: 0.9}
          schedule: {rate: 0.05, warmup-epochs: 0.2}
          guard: {clip: 1}
          threads: 1
          epochs: 2
          steps: 400
          seed: %d
          """
              .formatted(
                  fashion ? FASHION : folder.resolve("train"),
                  fashion ? FASHION : folder.resolve("test"),
                  seed));
      CommandRun.done("train", config, "--runs", folder, "--name", "run-" + seed);
      runs.add(folder.resolve("run-" + seed).toString());
    }
    Path json = folder.resolve("eval.json");
    System.out.println(CommandRun.done("eval", String.join(",", runs), "--json", json).out());
    JsonNode results = new ObjectMapper().readTree(json.toFile());
    assertEquals(5, results.path("members").size());
    double best = 0;
    for (JsonNode member : results.path("members")) {
      best = Math.max(best, member.path("accuracy").asDouble());
    }
    JsonNode average = results.path("methods").get(0);
    assertEquals("average", average.path("method").asText());
    assertTrue(average.path("accuracy").asDouble() > best, results::toString);
  }
}
