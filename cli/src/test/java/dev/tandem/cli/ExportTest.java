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
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run that goes out to a file and comes back as the beginning of another. */
class ExportTest {

  @TempDir static Path folder;
  private static Path run;
  private static Path config;
  private static double accuracy;

  @BeforeAll
  static void trainDigits() throws Exception {
    GlyphDatabase.write(folder.resolve("train"), new Seed(1), 600, Progress.SILENT);
    GlyphDatabase.write(folder.resolve("test"), new Seed(2), 200, Progress.SILENT);
    config = folder.resolve("digits.yaml");
    Files.writeString(
        config,
        """
        network: {model: digits}
        data: {train: '%1$s/train', test: '%1$s/test'}
        batch: {global: 50}
        optimizer: {momentum: 0.9, nesterov: true}
        schedule: {rate: 0.05, warmup-epochs: 0.5}
        guard: {clip: 1}
        epochs: 3
        """
            .formatted(folder));
    run = folder.resolve("runs/first");
    accuracy = train("--name", "first").path("accuracy").asDouble();
    assertTrue(accuracy > 0.3, "accuracy " + accuracy);
  }

  private static JsonNode train(Object... more) throws Exception {
    Path json = folder.resolve("train.json");
    List<Object> arguments =
        new ArrayList<>(List.of("train", config, "--runs", folder.resolve("runs"), "--json", json));
    arguments.addAll(Arrays.asList(more));
    CommandRun.done(arguments.toArray());
    return new ObjectMapper().readTree(json.toFile());
  }

  private static Path exported(String name, Object... more) throws Exception {
    Path file = folder.resolve(name);
    Path json = folder.resolve("export.json");
    List<Object> arguments =
        new ArrayList<>(List.of("export", run, "--output", file, "--json", json));
    arguments.addAll(Arrays.asList(more));
    CommandRun.done(arguments.toArray());
    JsonNode results = new ObjectMapper().readTree(json.toFile());
    assertEquals(Files.size(file), results.path("bytes").asLong());
    assertEquals(36, results.path("step").asLong());
    return file;
  }

  /** One step so small that nothing changes: the accuracy is that of what the run began with. */
  private static double accuracyAtStart(Object... more) throws Exception {
    List<Object> arguments =
        new ArrayList<>(
            List.of("--set", "schedule.rate=1e-30", "--set", "epochs=1", "--set", "steps=1"));
    arguments.addAll(Arrays.asList(more));
    return train(arguments.toArray()).path("accuracy").asDouble();
  }

  @Test
  void aRunGoesOutAndComesBack() throws Exception {
    Path onnx = exported("digits.onnx");
    Path weights = exported("digits.weights", "--format", "safetensors");
    Path renamed = Files.move(weights, folder.resolve("digits.safetensors"));
    assertTrue(Files.size(exported("digits.pt")) > 90_000);
    assertEquals(accuracy, accuracyAtStart("--init-from", renamed, "--freeze", "conv*"));
    assertEquals(accuracy, accuracyAtStart("--set", "network={file: '" + onnx + "'}"));
  }

  @Test
  void mistakesAreOneLine() throws Exception {
    Path nowhere = folder.resolve("nowhere/model.onnx");
    assertTrue(CommandRun.failed(2, "export", run, "--output", nowhere).contains("no such folder"));
    assertTrue(
        CommandRun.failed(2, "export", run, "--output", folder.resolve("model"))
            .contains("known: .onnx, .pt"));
    assertTrue(
        CommandRun.failed(2, "export", folder, "--output", folder.resolve("model.onnx"))
            .contains("neither the folder of a run"));
    Path damaged = folder.resolve("damaged.onnx");
    Files.writeString(damaged, "no model");
    assertTrue(
        CommandRun.failed(1, "train", config, "--init-from", damaged)
            .contains("damaged, or not an ONNX file"));
    assertTrue(
        CommandRun.failed(1, "train", config, "--set", "network={file: '" + damaged + "'}")
            .contains("damaged, or not an ONNX file"));
  }
}
