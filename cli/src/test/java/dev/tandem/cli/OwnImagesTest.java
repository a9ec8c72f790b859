package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.safetensors.Safetensors;
import dev.tandem.posix.WholeFiles;
import dev.tandem.testkit.TestSeed;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A user's own images: a configuration for them, training, names of classes everywhere. */
class OwnImagesTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final SplittableRandom RANDOM = TestSeed.of(OwnImagesTest.class).random();

  @TempDir static Path folder;
  private static Path photos;
  private static Path run;

  @BeforeAll
  static void trainTheExample() throws IOException {
    photos = folder.resolve("photos");
    for (String half : List.of("Train", "val")) {
      for (String name : List.of("circle", "square")) {
        for (int i = 0; i < 12; i++) {
          boolean jpeg = RANDOM.nextBoolean();
          draw(photos.resolve(half + "/" + name + "/" + i + (jpeg ? ".JPG" : ".png")), 20, 60);
        }
      }
    }
    CommandRun trained =
        CommandRun.done(
            "train",
            "../examples/photos.yaml",
            "--runs",
            folder.resolve("runs"),
            "--set",
            "data.path=" + photos,
            "--set",
            "steps=3");
    assertTrue(trained.err().contains("trains on Train/, tests with val/"), trained.err());
    run = folder.resolve("runs/photos");
  }

  /** Random pixels: sizes, colours and formats are what counts here. */
  private static void draw(Path file, int least, int most) throws IOException {
    Files.createDirectories(file.getParent());
    boolean grey = RANDOM.nextInt(3) == 0;
    BufferedImage image =
        new BufferedImage(
            RANDOM.nextInt(least, most + 1),
            RANDOM.nextInt(least, most + 1),
            grey ? BufferedImage.TYPE_BYTE_GRAY : BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < image.getHeight(); y++) {
      for (int x = 0; x < image.getWidth(); x++) {
        image.setRGB(x, y, RANDOM.nextInt());
      }
    }
    boolean jpeg = file.toString().endsWith(".JPG");
    assertTrue(ImageIO.write(image, jpeg ? "jpg" : "png", file.toFile()));
  }

  @Test
  void initWritesAConfigurationForAnyImages() throws Exception {
    Path file = folder.resolve("own.yaml");
    String out = CommandRun.done("init", file, "--data", photos).out();
    assertTrue(out.contains("found 24 images of 2 classes"), out);
    assertTrue(out.contains("of mixed size"), out);
    assertTrue(out.contains("trains on Train/, tests with val/"), out);
    assertTrue(out.contains("network: small-cnn for 3x32x32"), out);
    String text = Files.readString(file);
    assertTrue(text.contains("class-names: ['circle', 'square']"), text);
    assertFalse(text.contains("split:"), text);
    Path grey = folder.resolve("grey.yaml");
    out = CommandRun.done("init", grey, "--data", photos, "--model", "lenet").out();
    assertTrue(out.contains("lenet for 1x28x28") && out.contains("in grey"), out);
    Path flat = folder.resolve("flat.yaml");
    out = CommandRun.done("init", flat, "--data", photos.resolve("val")).out();
    assertTrue(out.contains("data.split 0.1 leaves about 2 of them for tests"), out);
    CommandRun trained =
        CommandRun.done(
            "train",
            flat,
            "--runs",
            folder.resolve("runs"),
            "--set",
            "steps=1",
            "--set",
            "batch.global=8");
    assertTrue(trained.err().contains("data.split 0.1: part of"), trained.err());
  }

  @Test
  void aFolderIsImportedWithNamesAndSizes() throws Exception {
    Path database = folder.resolve("test.db");
    String out = CommandRun.done("data", "import", "--split", "test", photos, database).out();
    assertTrue(out.contains("this imports val"), out);
    assertEquals("circle\nsquare\n", Files.readString(database.resolve("labels.txt")));
    Path file = folder.resolve("database.yaml");
    out = CommandRun.done("init", file, "--data", database).out();
    assertTrue(out.contains("found 24 images of 2 classes"), out);
    assertTrue(out.contains("of mixed size"), out);
    assertTrue(Files.readString(file).contains("class-names: ['circle', 'square']"));
  }

  /** Probabilities by label. */
  private static double[] predicted(Path image) throws Exception {
    Path json = folder.resolve("answers.json");
    CommandRun said = CommandRun.done("predict", run, image, "--json", json);
    assertTrue(said.out().contains("circle ") && said.out().contains("square "), said.out());
    double[] shares = new double[2];
    for (JsonNode answer :
        JSON.readTree(json.toFile()).path("predictions").path(0).path("answers")) {
      int label = answer.path("label").asInt();
      assertEquals(List.of("circle", "square").get(label), answer.path("name").asText());
      shares[label] = answer.path("probability").asDouble();
    }
    return shares;
  }

  /** What onnxruntime says to an image of the network's size, by the file's metadata alone. */
  private static double[] exported(Path model, BufferedImage image) throws Exception {
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    try (OrtSession session = environment.createSession(model.toString())) {
      Map<String, String> metadata = session.getMetadata().getCustomMetadata();
      assertEquals("[\"circle\",\"square\"]", metadata.get("classes"));
      assertEquals("3x64x64", metadata.get("input-size"));
      assertEquals("shorter=64,crop=64x64", metadata.get("preparation"));
      boolean normalises = metadata.get("input").equals("pixels, 0 to 255");
      JsonNode mean = JSON.readTree(metadata.get("mean"));
      JsonNode deviation = JSON.readTree(metadata.get("deviation"));
      FloatBuffer pixels = FloatBuffer.allocate(3 * 64 * 64);
      for (int channel = 0; channel < 3; channel++) {
        int shift = 8 * "BGR".indexOf(metadata.get("channel-order").charAt(channel));
        for (int i = 0; i < 64 * 64; i++) {
          int pixel = image.getRGB(i % 64, i / 64) >> shift & 0xFF;
          pixels.put(
              normalises
                  ? pixel
                  : (float)
                      ((pixel / 255.0 - mean.get(channel).asDouble())
                          / deviation.get(channel).asDouble()));
        }
      }
      try (OnnxTensor input =
              OnnxTensor.createTensor(environment, pixels.flip(), new long[] {1, 3, 64, 64});
          OrtSession.Result result = session.run(Map.of("input", input))) {
        float[] scores = ((float[][]) result.get(0).getValue())[0];
        double first = Math.exp(scores[0]);
        double second = Math.exp(scores[1]);
        return new double[] {first / (first + second), second / (first + second)};
      }
    }
  }

  @Test
  void exportsAnswerAsPredictDoesAndKnowTheClasses() throws Exception {
    assertTrue(
        Files.readString(run.resolve("config.yaml"))
            .contains("class-names:\n  - circle\n  - square"));
    Path plain = folder.resolve("photos.onnx");
    CommandRun.done("export", run, "--output", plain);
    Path whole = folder.resolve("pixels.onnx");
    CommandRun.done("export", run, "--output", whole, "--with-preprocessing");
    for (int i = 0; i < 3; i++) {
      Path file = folder.resolve("one" + i + ".png");
      BufferedImage image = new BufferedImage(64, 64, BufferedImage.TYPE_INT_RGB);
      for (int at = 0; at < 64 * 64; at++) {
        image.setRGB(at % 64, at / 64, RANDOM.nextInt());
      }
      ImageIO.write(image, "png", file.toFile());
      double[] expected = predicted(file);
      for (Path model : List.of(plain, whole)) {
        double[] answers = exported(model, image);
        assertEquals(expected[0], answers[0], 1e-4, model.toString());
        assertEquals(expected[1], answers[1], 1e-4, model.toString());
      }
    }
    // A graph that normalises still gives the network back.
    String shown =
        CommandRun.done(
                "show",
                "../examples/photos.yaml",
                "--set",
                "data.path=" + photos,
                "--set",
                "network={file: '" + whole + "'}")
            .out();
    assertTrue(shown.contains("conv1"), shown);
    Path weights = folder.resolve("photos.safetensors");
    CommandRun.done("export", run, "--output", weights);
    Map<String, String> metadata = Safetensors.parse(WholeFiles.map(weights), "weights").metadata();
    assertEquals("[\"circle\",\"square\"]", metadata.get("classes"));
    assertTrue(metadata.containsKey("mean"), metadata.toString());
    assertTrue(
        CommandRun.failed(2, "export", run, "--output", weights, "--with-preprocessing")
            .contains("is for ONNX files"));
  }

  @Test
  void mistakesAreOneLine() throws Exception {
    Path file = folder.resolve("none.yaml");
    Path empty = Files.createDirectories(folder.resolve("empty"));
    assertTrue(CommandRun.failed(1, "init", file, "--data", empty).contains("holds no images"));
    draw(folder.resolve("one/cat/1.png"), 8, 9);
    assertTrue(
        CommandRun.failed(2, "init", file, "--data", folder.resolve("one"))
            .contains("has one class only, 'cat'"));
    Path texts = folder.resolve("texts/a/readme.txt");
    Files.createDirectories(texts.getParent());
    Files.writeString(texts, "no image");
    assertTrue(
        CommandRun.failed(1, "init", file, "--data", folder.resolve("texts"))
            .contains("holds no images"));
    assertFalse(Files.exists(file));
    for (String setting : List.of("data.split=0.1", "data.split=2", "data.mixup=-1")) {
      String line =
          CommandRun.failed(
              2,
              "train",
              "../examples/photos.yaml",
              "--set",
              "data.path=" + photos,
              "--set",
              setting);
      assertTrue(line.contains(setting.substring(5, 10)), line);
    }
    Path broken = folder.resolve("broken");
    for (String name : List.of("circle/1.png", "circle/2.png", "square/1.png", "square/2.png")) {
      draw(broken.resolve(name), 64, 64);
    }
    Files.writeString(broken.resolve("square/0.png"), "no image");
    CommandRun failed =
        CommandRun.of(
            "train",
            "../examples/photos.yaml",
            "--runs",
            folder.resolve("failed"),
            "--set",
            "data={path: '" + broken + "', split: 0.3}",
            "--set",
            "steps=1");
    assertEquals(1, failed.exitCode(), failed.err());
    String last = failed.err().lines().toList().getLast();
    assertTrue(last.contains("square/0.png") && last.contains("data.skip-bad-records"), last);
  }
}
