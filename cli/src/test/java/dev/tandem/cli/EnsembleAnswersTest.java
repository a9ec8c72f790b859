package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.ensemble.EnsembleRecord;
import java.awt.image.BufferedImage;
import java.io.File;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What members of different networks say together: eval, predict and export. */
class EnsembleAnswersTest {

  @TempDir static Path folder;
  private static Path ensemble;
  private static String runs;

  @BeforeAll
  static void trainTwo() throws Exception {
    GlyphDatabase.write(folder.resolve("train"), new Seed(1), 600, Progress.SILENT);
    GlyphDatabase.write(folder.resolve("test"), new Seed(2), 300, Progress.SILENT);
    train("a", "{model: digits}", 1);
    train(
        "b",
        "{input: [1, 28, 28], layers: [{name: flat, type: flatten},"
            + " {name: answer, type: fully-connected, outputs: 10}]}",
        2);
    ensemble = Files.createDirectory(folder.resolve("all"));
    EnsembleRecord.of("all-shared", "done", List.of(member("a"), member("b"))).write(ensemble);
    runs = folder.resolve("a") + "," + folder.resolve("b");
  }

  private static EnsembleRecord.Member member(String name) {
    return new EnsembleRecord.Member(name, name, "done", null, null);
  }

  private static void train(String name, String network, int seed) throws Exception {
    Path config = folder.resolve(name + ".yaml");
    Files.writeString(
        config,
        """
        network: %s
        data: {train: '%2$s/train', test: '%2$s/test'}
        batch: {global: 50}
        optimizer: {momentum: 0.9}
        schedule: {rate: 0.05, warmup-epochs: 0.5}
        guard: {clip: 1}
        epochs: 2
        seed: %3$d
        """
            .formatted(network, folder, seed));
    CommandRun.done("train", config, "--runs", folder, "--name", name);
  }

  private static JsonNode json(Object... arguments) throws Exception {
    Path file = folder.resolve("results.json");
    Object[] all = new Object[arguments.length + 2];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "--json";
    all[arguments.length + 1] = file;
    CommandRun.done(all);
    return new ObjectMapper().readTree(file.toFile());
  }

  @Test
  void evalShowsEachMemberAndAllTogether() throws Exception {
    JsonNode together = json("eval", ensemble);
    assertEquals(300, together.path("images").asLong());
    for (JsonNode member : together.path("members")) {
      JsonNode alone = json("eval", folder.resolve(member.path("name").asText()));
      assertEquals(alone.path("accuracy").asDouble(), member.path("accuracy").asDouble(), 1e-9);
      assertEquals(alone.path("testLoss").asDouble(), member.path("testLoss").asDouble(), 1e-5);
    }
    assertEquals(
        List.of("average", "weighted-accuracy", "weighted-loss", "majority", "stacking"),
        together.path("methods").findValuesAsText("method"));
    assertTrue(Files.exists(ensemble.resolve("combine.json")));
    JsonNode listed = json("eval", runs);
    assertEquals(
        together.path("methods").findValuesAsText("accuracy"),
        listed.path("methods").findValuesAsText("accuracy"));
    String table = CommandRun.done("eval", ensemble).out();
    assertTrue(table.contains("all 2 together") && table.contains("weights"), table);
  }

  @Test
  void theReportShowsAllMembers() throws Exception {
    String shown = CommandRun.done("runs", "show", ensemble, "--report").out();
    assertTrue(shown.contains("all-shared") && shown.contains("Members"), shown);
    String page = Files.readString(ensemble.resolve("report.html"));
    assertTrue(page.contains("Training loss") && page.contains("Test accuracy"));
  }

  @Test
  void predictAnswersForAll() throws Exception {
    Path image = folder.resolve("seven.png");
    draw(image.toFile());
    JsonNode average = json("predict", ensemble, image, "--top", 10).at("/predictions/0/answers");
    assertEquals(10, average.size());
    for (JsonNode answer : average) {
      double mean = 0;
      for (String member : List.of("a", "b")) {
        for (JsonNode own :
            json("predict", folder.resolve(member), image, "--top", 10)
                .at("/predictions/0/answers")) {
          if (own.path("label").asInt() == answer.path("label").asInt()) {
            mean += own.path("probability").asDouble() / 2;
          }
        }
      }
      assertEquals(mean, answer.path("probability").asDouble(), 1e-6);
    }
    for (String method : List.of("majority", "weighted-loss", "weighted-accuracy", "stacking")) {
      String line = CommandRun.done("predict", runs, image, "--combine", method).out();
      assertEquals(
          line, CommandRun.done("predict", ensemble, image, "--combine", method).out(), method);
    }
  }

  @Test
  void theExportedGraphAveragesProbabilities() throws Exception {
    Path image = folder.resolve("exported.png");
    draw(image.toFile());
    for (String method : List.of("average", "weighted-loss")) {
      Path file = folder.resolve(method + ".onnx");
      JsonNode results =
          json("export", ensemble, "-o", file, "--with-preprocessing", "--combine", method);
      assertEquals(Files.size(file), results.path("bytes").asLong());
      JsonNode expected =
          json("predict", ensemble, image, "--top", 10, "--combine", method)
              .at("/predictions/0/answers");
      float[] actual = runtime(file, image.toFile());
      for (JsonNode answer : expected) {
        assertEquals(
            answer.path("probability").asDouble(), actual[answer.path("label").asInt()], 1e-5);
      }
    }
  }

  private static float[] runtime(Path file, File image) throws Exception {
    BufferedImage pixels = ImageIO.read(image);
    FloatBuffer values = FloatBuffer.allocate(28 * 28);
    for (int i = 0; i < 28 * 28; i++) {
      values.put(pixels.getRaster().getSample(i % 28, i / 28, 0));
    }
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    try (OrtSession session = environment.createSession(file.toString());
        OnnxTensor input =
            OnnxTensor.createTensor(environment, values.flip(), new long[] {1, 1, 28, 28});
        OrtSession.Result result = session.run(Map.of("input", input))) {
      return ((float[][]) result.get("probabilities").orElseThrow().getValue())[0];
    }
  }

  private static void draw(File file) throws Exception {
    BufferedImage image = new BufferedImage(28, 28, BufferedImage.TYPE_BYTE_GRAY);
    for (int i = 6; i < 22; i++) {
      image.getRaster().setSample(i, 6, 0, 255);
      image.getRaster().setSample(21 - i / 2, i, 0, 255);
    }
    ImageIO.write(image, "png", file);
  }

  @Test
  void mistakesAreOneLine() throws Exception {
    Path run = folder.resolve("a");
    assertTrue(
        CommandRun.failed(2, "predict", run, "x.png", "--combine", "majority")
            .contains("is a single run"));
    assertTrue(
        CommandRun.failed(2, "predict", ensemble, "x.png", "--combine", "best")
            .contains("--combine is best, expected average"));
    assertTrue(CommandRun.failed(2, "eval", ensemble, "-n", 2).contains("leave out -n"));
    assertTrue(
        CommandRun.failed(2, "eval", run + "," + folder.resolve("nowhere"))
            .contains("is not the folder of a run"));
    assertTrue(
        CommandRun.failed(2, "export", ensemble, "-o", folder.resolve("x.pt"))
            .contains("an ensemble goes into an ONNX file"));
    assertTrue(
        CommandRun.failed(
                2, "export", ensemble, "-o", folder.resolve("x.onnx"), "--combine", "majority")
            .contains("cannot be exported"));
    assertFalse(Files.exists(folder.resolve("x.onnx")));
  }
}
