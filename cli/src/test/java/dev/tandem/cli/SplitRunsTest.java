package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.Glyph;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.data.glyphs.GlyphDigits;
import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Networks that are split over processes: training, evaluation, predictions. */
class SplitRunsTest {

  private static final Path EXAMPLES = Path.of("..", "examples");

  @TempDir Path folder;

  private JsonNode json(String name, Object... command) throws Exception {
    Path file = folder.resolve(name + ".json");
    CommandRun.done(Stream.concat(Arrays.stream(command), Stream.of("--json", file)).toArray());
    return new ObjectMapper().readTree(file.toFile());
  }

  private JsonNode train(String example, String name, Object... more) throws Exception {
    Object[] first = {"train", EXAMPLES.resolve(example), "--runs", folder, "--name", name};
    return json(name, Stream.concat(Arrays.stream(first), Arrays.stream(more)).toArray());
  }

  @Tag("slow")
  @Test
  void answersOfProcessesAreThoseOfOne() throws Exception {
    GlyphDatabase.write(folder.resolve("train"), new Seed(1), 400, Progress.SILENT);
    GlyphDatabase.write(folder.resolve("test"), new Seed(2), 100, Progress.SILENT);
    train(
        "strategy-filter.yaml",
        "run",
        "-n",
        2,
        "--set",
        "data.train=" + folder.resolve("train"),
        "--set",
        "data.test=" + folder.resolve("test"),
        "--set",
        "epochs=2");
    Path run = folder.resolve("run");
    List<Object> words = new ArrayList<>(List.of("predict", run));
    for (int i = 0; i < 3; i++) {
      Path file = folder.resolve(i + ".png");
      ImageIO.write(image(GlyphDigits.draw(new Seed(3), i)), "png", file.toFile());
      words.add(file);
    }
    JsonNode evaluated = json("eval", "eval", run);
    JsonNode predicted = json("predict", words.toArray());
    for (String strategy : List.of("", "spatial=2", "data=2,channel=2", "pipeline=2")) {
      Object[] split =
          strategy.isEmpty() ? new Object[] {"-n", 2} : new Object[] {"--strategy", strategy};
      JsonNode again =
          json("again", Stream.concat(Stream.of("eval", run), Arrays.stream(split)).toArray());
      assertEquals(evaluated.path("accuracy"), again.path("accuracy"), strategy);
      assertEquals(
          evaluated.path("testLoss").asDouble(), again.path("testLoss").asDouble(), 1e-4, strategy);
      JsonNode answers =
          json("answers", Stream.concat(words.stream(), Arrays.stream(split)).toArray());
      assertEquals(labels(predicted), labels(answers), strategy);
    }
  }

  private static List<Integer> labels(JsonNode results) {
    List<Integer> labels = new ArrayList<>();
    results
        .path("predictions")
        .forEach(each -> labels.add(each.path("answers").path(0).path("label").asInt()));
    assertEquals(3, labels.size(), results::toString);
    return labels;
  }

  private static BufferedImage image(Glyph glyph) {
    BufferedImage image = new BufferedImage(28, 28, BufferedImage.TYPE_BYTE_GRAY);
    for (int i = 0; i < 28 * 28; i++) {
      image.getRaster().setSample(i % 28, i / 28, 0, glyph.pixels()[i] & 0xFF);
    }
    return image;
  }

  @Tag("slow")
  @Test
  void cosmoFlowInSpace() throws Exception {
    Path data = folder.resolve("cosmoflow.db");
    CommandRun.done(
        "data",
        "make",
        "--kind",
        "volumes",
        "--extent",
        64,
        "--channels",
        4,
        "--records",
        12,
        data);
    Object[] little = {"--set", "data.path=" + data, "--set", "steps=2"};
    double whole = train("cosmoflow-small.yaml", "small", little).path("testLoss").asDouble();
    Object[] two = Stream.concat(Arrays.stream(little), Stream.of("-n", 2)).toArray();
    Object[] four = Stream.concat(Arrays.stream(little), Stream.of("-n", 4)).toArray();
    JsonNode spatial = train("cosmoflow-spatial.yaml", "spatial", two);
    JsonNode both = train("cosmoflow-data-spatial.yaml", "both", four);
    assertTrue(spatial.path("replicasIdentical").asBoolean(), spatial::toString);
    assertTrue(both.path("replicasIdentical").asBoolean(), both::toString);
    assertEquals(whole, spatial.path("testLoss").asDouble(), 1e-3 * whole);
    assertEquals(whole, both.path("testLoss").asDouble(), 1e-3 * whole);
  }

  @Test
  void aNumberOfProcessesThatDoesNotFitIsRefused() throws Exception {
    Path run = folder.resolve("run");
    Files.createDirectories(run);
    String known = "data:\n  normalise: {mean: 0.158, deviation: 0.211}\n";
    Files.writeString(
        run.resolve("config.yaml"),
        Files.readString(EXAMPLES.resolve("glyphs.yaml")).replace("data:\n", known));
    String refused = CommandRun.failed(2, "eval", run, "-n", 4, "--strategy", "data=2,filter=3");
    assertTrue(refused.contains("needs 6 ranks, not 4"), refused);
    String alone = CommandRun.failed(2, "predict", run, "--strategy", "filter", "a.png");
    assertTrue(alone.contains("say how many processes with -n"), alone);
  }
}
