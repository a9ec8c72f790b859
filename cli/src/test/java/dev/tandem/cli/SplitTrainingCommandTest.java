package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.GlyphDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code tandem train --strategy}, with real processes. */
class SplitTrainingCommandTest {

  private static final double GOOD = 0.97;

  @TempDir static Path folder;
  private static Path config;

  @BeforeAll
  static void data() throws IOException {
    GlyphDatabase.write(folder.resolve("train"), new Seed(1), 640, Progress.SILENT);
    GlyphDatabase.write(folder.resolve("test"), new Seed(2), 100, Progress.SILENT);
    config = folder.resolve("glyphs.yaml");
    Files.writeString(
        config,
        """
        network: {model: digits}
        data: {train: '%1$s/train', test: '%1$s/test'}
        batch: {global: 64}
        optimizer: {kind: sgd, momentum: 0.9, nesterov: true, weight-decay: 5e-4}
        schedule: {kind: cosine, rate: 0.05, warmup-epochs: 1}
        guard: {clip: 1}
        epochs: 5
        """
            .formatted(folder));
  }

  private static JsonNode train(String name, int ranks, String... more) throws IOException {
    Path json = folder.resolve(name + ".json");
    List<Object> arguments = new ArrayList<>(List.of("train", config, "-n", ranks, "--name", name));
    arguments.addAll(List.of("--runs", folder.resolve("runs"), "--json", json));
    arguments.addAll(List.of(more));
    CommandRun.done(arguments.toArray());
    return new ObjectMapper().readTree(json.toFile());
  }

  /** A plan is shown without processes, and leaves nothing. */
  @Test
  void showsThePlan() throws IOException {
    Path json = folder.resolve("plan.json");
    String shown =
        CommandRun.done(
                "train",
                config,
                "-n",
                4,
                "--strategy",
                "data=2,filter=2",
                "--show-plan",
                "--runs",
                folder.resolve("planned"),
                "--json",
                json)
            .out();
    assertTrue(shown.contains("of 4 (data=2,filter=2)"), shown);
    assertTrue(shown.contains("allgather / reduce-scatter"), shown);
    assertTrue(shown.contains("memory: "), shown);
    JsonNode ranks = new ObjectMapper().readTree(json.toFile()).path("ranks");
    assertEquals(4, ranks.size());
    assertTrue(ranks.get(3).path("bytesSent").asLong() > 0);
    assertFalse(Files.exists(folder.resolve("planned")));
  }

  /** The run names its strategy, goes on under another, and one process opens what it saved. */
  @Test
  void trainsGoesOnAndIsOpened() throws IOException {
    JsonNode part = train("run", 2, "--strategy", "filter", "--set", "steps=5");
    assertTrue(part.path("replicasIdentical").asBoolean());
    Path run = folder.resolve("runs/run");
    JsonNode record = new ObjectMapper().readTree(run.resolve("run.json").toFile());
    assertEquals("filter=2", record.path("strategy").asText());
    assertTrue(Files.readString(run.resolve("config.yaml")).contains("mesh: filter"));
    String shown = CommandRun.done("runs", "show", run).out();
    assertTrue(shown.contains("strategy: filter=2"), shown);
    JsonNode rest = train("run", 2, "--resume", "--strategy", "spatial", "--set", "steps=9");
    assertEquals(9, rest.path("steps").asLong());
    CommandRun.done("eval", run);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "data|2",
        "filter|2",
        "channel|2",
        "alternate|2",
        "spatial|2",
        "spatial=2x2|4",
        "data=2,filter=2|4",
        "data=2,channel=2|4",
        "data=2,spatial=2|4",
        "pipeline|2",
        "data=2,pipeline=2|4",
        "sharded|2"
      })
  void glyphsAreLearned(String strategy, int ranks) throws IOException {
    String name = strategy.replaceAll("[=,]", "-");
    Path many = folder.resolve("many");
    if (!Files.exists(many)) {
      GlyphDatabase.write(many.resolve("train"), new Seed(3), 10_000, Progress.SILENT);
      GlyphDatabase.write(many.resolve("test"), new Seed(2), 500, Progress.SILENT);
    }
    String data = "data={train: '%1$s/train', test: '%1$s/test'}".formatted(many);
    JsonNode result = train(name, ranks, "--strategy", strategy, "--set", data);
    assertTrue(result.path("accuracy").asDouble() >= GOOD, result.toString());
    assertTrue(result.path("replicasIdentical").asBoolean());
  }
}
