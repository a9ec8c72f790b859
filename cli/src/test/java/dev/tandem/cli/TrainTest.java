package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.Glyph;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.data.glyphs.GlyphDigits;
import dev.tandem.posix.FileTrees;
import java.awt.image.BufferedImage;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands around training as a user runs them; the ranks are real processes. */
class TrainTest {

  @TempDir static Path folder;
  private static Path config;

  @BeforeAll
  static void drawDigits() throws Exception {
    GlyphDatabase.write(folder.resolve("train"), new Seed(1), 600, Progress.SILENT);
    GlyphDatabase.write(folder.resolve("test"), new Seed(2), 200, Progress.SILENT);
    config = folder.resolve("digits.yaml");
    Files.writeString(
        config,
        """
        network: {model: digits}
        data: {train: '%1$s/train', test: '%1$s/test', class-names: [zero, one, two, three, four, five, six, seven, eight, nine]}
        batch: {global: 50}
        optimizer: {momentum: 0.9, nesterov: true}
        schedule: {rate: 0.05, warmup-epochs: 0.5}
        guard: {clip: 1}
        epochs: 2
        determinism: elastic
        shards: 4
        checkpoint: {every-steps: 10, best: true, keep: 0}
        """
            .formatted(folder));
  }

  private static JsonNode train(String name, Object... more) throws Exception {
    Path json = folder.resolve(name + ".json");
    Object[] arguments =
        Stream.concat(
                Stream.of("train", config, "--runs", folder.resolve("runs"), "--json", json),
                Stream.of(more))
            .toArray();
    CommandRun.done(arguments);
    return new ObjectMapper().readTree(json.toFile());
  }

  private static List<String> names(Path root) throws Exception {
    try (Stream<Path> walk = Files.walk(root)) {
      return walk.map(path -> root.relativize(path).toString()).sorted().toList();
    }
  }

  @Test
  void processesTrainToTheSameBitsAndTheRunServesAllCommands() throws Exception {
    JsonNode one = train("one", "-n", 1, "--name", "one");
    JsonNode two = train("two", "-n", 2, "--name", "two");
    assertEquals(one.path("digest").asText(), two.path("digest").asText());
    assertEquals(one.path("accuracy").asDouble(), two.path("accuracy").asDouble());
    assertEquals(24, two.path("steps").asLong());
    assertTrue(two.path("replicasIdentical").asBoolean());

    Path run = folder.resolve("runs/two");
    List<String> names = names(run);
    assertTrue(
        names.containsAll(
            List.of(
                "checkpoints/step-000000010/manifest.json",
                "checkpoints/step-000000024/manifest.json",
                "config.yaml",
                "metrics.jsonl",
                "report.html")),
        names.toString());
    assertTrue(names.stream().anyMatch(name -> name.startsWith("events.tfevents.")));
    assertTrue(Files.readString(run.resolve("report.html")).contains("Learning rate"));

    evaluated(run, two);
    resumed(run, two);
    predicted(run);
  }

  @Test
  @Tag("slow")
  void processesWithCommonStatisticsTrainToTheSameBits() throws Exception {
    String expected = withCommonStatistics("one-normalised", 1);
    assertEquals(expected, withCommonStatistics("two-normalised", 2));
    assertEquals(expected, withCommonStatistics("three-normalised", 3));
    assertEquals(expected, withCommonStatistics("four-normalised", 4));
  }

  /**
   * The digest of a run. That any number of ranks gives what gradients accumulated in one process
   * give is for DataParallelTest of train.
   */
  private static String withCommonStatistics(String name, int ranks) throws Exception {
    JsonNode result =
        train(
            name,
            "-n",
            ranks,
            "--name",
            name,
            "--set",
            "network={input: [1, 28, 28], layers: [{name: conv, type: convolution, filters: 4,"
                + " kernel: 5, stride: 2}, {name: norm, type: batch-norm}, {name: relu, type:"
                + " relu}, {name: flatten, type: flatten}, {name: scores, type: fully-connected,"
                + " outputs: 10}]}",
            "--set",
            "synchronised-batch-norm=true",
            "--set",
            "steps=6");
    assertEquals(6, result.path("steps").asLong());
    return result.path("digest").asText();
  }

  @Test
  void aRunTellsWhoHoldsOthersUpAndKeepsATimelineOfAllRanks() throws Exception {
    train(
        "watched",
        "-n",
        2,
        "--name",
        "watched",
        "--set",
        "determinism=run",
        "--set",
        "steps=8",
        "--set",
        "synchronisation={policy: topo, timeline: timeline.json}");
    Path run = folder.resolve("runs/watched");
    JsonNode events = new ObjectMapper().readTree(run.resolve("timeline.json").toFile());
    for (int rank = 0; rank < 2; rank++) {
      int number = rank;
      assertTrue(events.valueStream().anyMatch(event -> transfers(event, number)), "rank " + rank);
      for (String phase : List.of("input", "forward", "backward", "update", "validate", "save")) {
        assertTrue(
            events
                .valueStream()
                .anyMatch(
                    event ->
                        event.path("pid").asInt() == number
                            && event.path("name").asText().equals(phase)
                            && event.path("dur").asDouble() > 0),
            phase + " of rank " + rank);
      }
    }
    String tables = Files.readString(run.resolve("stragglers.txt"));
    for (String part : List.of("CIS", "stalling", "comes last", "next cycle")) {
      assertTrue(tables.contains(part), tables);
    }
    String sentence = tables.lines().toList().getLast();
    String metrics = Files.readString(run.resolve("metrics.jsonl"));
    assertTrue(metrics.contains("\"event\":\"stragglers\""), metrics);
    JsonNode validation = lastEvent(metrics, "epoch");
    long right = 0;
    long samples = 0;
    for (int label = 0; label < 10; label++) {
      right += validation.path("classes").path(label).path("right").asLong();
      samples += validation.path("classes").path(label).path("count").asLong();
    }
    assertEquals(validation.path("samples").asLong(), samples);
    assertEquals(validation.path("testAccuracy").asDouble(), (double) right / samples);
    assertEquals(10, validation.path("confusion").size());
    assertTrue(validation.path("top5").asDouble() <= 1, metrics);
    JsonNode system = lastEvent(metrics, "system");
    for (String figure : List.of("rss", "heap", "netBytes")) {
      assertTrue(system.path(figure).path(1).asLong() > 0, figure + " in " + system);
    }
    assertTrue(Files.readString(run.resolve("report.html")).contains(sentence), sentence);
  }

  private static JsonNode lastEvent(String metrics, String kind) throws Exception {
    String line =
        metrics
            .lines()
            .filter(each -> each.contains("\"event\":\"" + kind + "\""))
            .reduce((before, after) -> after)
            .orElseThrow();
    return new ObjectMapper().readTree(line);
  }

  private static boolean transfers(JsonNode event, int rank) {
    return event.path("pid").asInt() == rank && event.path("name").asText().endsWith("TRANSFER");
  }

  private static void evaluated(Path run, JsonNode trained) throws Exception {
    Path json = folder.resolve("eval.json");
    CommandRun.done("eval", run, "--json", json);
    JsonNode results = new ObjectMapper().readTree(json.toFile());
    assertEquals(trained.path("accuracy").asDouble(), results.path("accuracy").asDouble());
    assertEquals(trained.path("testLoss").asDouble(), results.path("testLoss").asDouble());
    CommandRun.done("eval", run.resolve("checkpoints/step-000000010"), "--json", json);
    assertEquals(10, new ObjectMapper().readTree(json.toFile()).path("step").asLong());
    CommandRun.done("eval", run, "--best", "--data", folder.resolve("train"), "--json", json);
    assertEquals(600, new ObjectMapper().readTree(json.toFile()).path("images").asLong());
  }

  /** As if the machine had died after the checkpoint of step 10. */
  private static void resumed(Path run, JsonNode trained) throws Exception {
    List<Double> losses = RunMetrics.losses(run);
    for (String name : names(run.resolve("checkpoints"))) {
      if (name.startsWith("step-") && !name.contains("/") && !name.endsWith("10")) {
        FileTrees.delete(run.resolve("checkpoints").resolve(name));
      }
    }
    JsonNode resumed = train("resumed", "-n", 1, "--name", "two", "--resume");
    assertEquals(trained.path("digest").asText(), resumed.path("digest").asText());
    assertEquals(losses, RunMetrics.losses(run));
  }

  private static void predicted(Path run) throws Exception {
    Glyph glyph = GlyphDigits.draw(new Seed(3), 0);
    BufferedImage image = new BufferedImage(28, 28, BufferedImage.TYPE_BYTE_GRAY);
    image.getRaster().setDataElements(0, 0, 28, 28, glyph.pixels());
    Path good = folder.resolve("digit.png");
    ImageIO.write(image, "png", good.toFile());
    Path bad = folder.resolve("broken.png");
    Files.writeString(bad, "no image");
    CommandRun run1 = CommandRun.of("predict", run, good, bad, good, "--top", 2);
    assertEquals(1, run1.exitCode(), run1.err());
    assertEquals(1, run1.err().lines().count(), run1.err());
    assertTrue(run1.err().contains(bad.toString()), run1.err());
    List<String> lines = run1.out().lines().toList();
    assertEquals(2, lines.size(), run1.out());
    assertEquals(lines.get(0), lines.get(1));
    assertTrue(lines.get(0).matches(".*digit\\.png: \\w+ [0-9.]+%, \\w+ [0-9.]+%"), run1.out());
  }

  @Test
  void initWritesAConfigurationThatWorks() throws Exception {
    Path file = folder.resolve("start.yaml");
    CommandRun.done("init", file, "--data", folder.resolve("train"));
    assertTrue(Files.readString(file).contains("model: lenet"));
    CommandRun.done(
        "train", file, "--runs", folder.resolve("runs"), "--set", "steps=2", "--set", "epochs=1");
    assertTrue(Files.exists(folder.resolve("runs/start/report.html")));
    assertTrue(CommandRun.failed(2, "init", file).contains("exists already"));
    assertTrue(
        CommandRun.failed(2, "init", folder.resolve("other.yaml"), "--model", "lenett")
            .contains("expected one of"));
  }

  private static String failed(int code, Object... settings) {
    Object[] arguments =
        Stream.concat(
                Stream.of("train", config, "--runs", folder.resolve("failed")),
                Stream.of(settings).flatMap(setting -> Stream.of("--set", setting)))
            .toArray();
    return CommandRun.failed(code, arguments);
  }

  @Test
  void mistakesAreOneLine() {
    assertTrue(
        failed(2, "batch.globl=3")
            .contains("unknown key 'batch.globl'; did you mean 'batch.global'?"));
    assertTrue(failed(2, "network.model=caffe-cifar").contains("are 3x28x28"));
    assertTrue(failed(2, "device=cuda:1000").startsWith("tandem: device: cuda:1000, but "));
    assertTrue(failed(2, "device=cpu", "precision=tf32").contains("precision: tf32 is for GPUs"));
    assertTrue(
        failed(1, "data.train=/no/such/data", "data.normalise=none")
            .contains("data.train: cannot read /no/such/data"));
    assertTrue(failed(2, "fine-tune.freeze=[conv7]").contains("no layer is named 'conv7'"));
    assertTrue(
        CommandRun.failed(2, "train", config, "--resume", "--runs", folder.resolve("none"))
            .contains("no run in"));
    assertTrue(CommandRun.failed(2, "eval", folder).contains("neither the folder of a run"));
    assertFalse(Files.exists(folder.resolve("failed")), "a mistake leaves no run behind");
  }

  /** What only ranks find out. */
  @Test
  void aFailureOfARankIsOneLineToo() throws Exception {
    Path wrong = folder.resolve("wrong");
    writeLabels(wrong, 12);
    String label =
        lastLine(1, "-n", 2, "--set", "data.train=" + wrong, "--set", "data.normalise=none");
    assertTrue(label.contains("it has label 12, outside 0..9"), label);
  }

  @Test
  @Tag("slow")
  void furtherFailuresOfRanks() throws Exception {
    String shards = lastLine(2, "-n", 2, "--set", "shards=1");
    assertTrue(shards.contains("2 ranks cannot share 1 shards"), shards);
    Path wrong = folder.resolve("wrong-planned");
    writeLabels(wrong, 12);
    String planned =
        lastLine(
            1,
            "-n",
            2,
            "--set",
            "data.train=" + wrong,
            "--set",
            "data.normalise=none",
            "--set",
            "determinism=run");
    assertTrue(planned.contains("it has label 12, outside 0..9"), planned);
    String memory =
        lastLine(
            1,
            "--set",
            "network={input: [1, 28, 28], layers: [{name: flatten, type: flatten}, {name: a, type:"
                + " fully-connected, outputs: 2000000}, {name: b, type: fully-connected, outputs:"
                + " 2000000}, {name: c, type: fully-connected, outputs: 10}]}");
    assertTrue(memory.startsWith("tandem: out of memory: the network has"), memory);
    String nan = lastLine(1, "--set", "schedule.rate=1e30", "--set", "guard.clip=0");
    assertTrue(nan.matches("tandem: step \\d+: .* of layer \\w+ .*"), nan);
  }

  private static String lastLine(int code, Object... more) {
    Object[] arguments =
        Stream.concat(
                Stream.of("train", config, "--runs", folder.resolve("failing")), Stream.of(more))
            .toArray();
    return CommandRun.failed(code, arguments);
  }

  /** A pair of IDX files of black images, one of which has a label that no class has. */
  private static void writeLabels(Path path, int label) throws Exception {
    int images = 60;
    Files.createDirectories(path);
    ByteBuffer pixels = ByteBuffer.allocate(16 + images * 28 * 28);
    pixels.putInt(0x803).putInt(images).putInt(28).putInt(28);
    Files.write(path.resolve("train-images-idx3-ubyte"), pixels.array());
    ByteBuffer labels = ByteBuffer.allocate(8 + images);
    labels.putInt(0x801).putInt(images).put(8 + 37, (byte) label);
    Files.write(path.resolve("train-labels-idx1-ubyte"), labels.array());
  }
}
