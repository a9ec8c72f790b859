package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.nn.Device;
import dev.tandem.nn.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Training on a GPU as a user does it; the ranks are real processes. */
@Tag("gpu")
class GpuTrainingTest {

  @TempDir static Path folder;
  private static Path config;

  @BeforeAll
  static void drawDigits() throws IOException {
    try {
      Engine.choose(new Device("cuda"));
    } catch (UsageException e) {
      assumeTrue(false, e.getMessage());
    }
    GlyphDatabase.write(folder.resolve("train"), new Seed(1), 600, Progress.SILENT);
    GlyphDatabase.write(folder.resolve("test"), new Seed(2), 200, Progress.SILENT);
    config = folder.resolve("digits.yaml");
    Files.writeString(
        config,
        """
        network: {model: digits}
        data: {train: '%1$s/train', test: '%1$s/test'}
        device: cuda
        batch: {global: 50}
        optimizer: {momentum: 0.9, nesterov: true}
        schedule: {rate: 0.05, warmup-epochs: 0.5}
        guard: {clip: 1}
        epochs: 2
        checkpoint: {every-steps: 10, keep: 0}
        """
            .formatted(folder));
  }

  private static JsonNode train(String name, Object... more) throws IOException {
    Path json = folder.resolve(name + ".json");
    CommandRun.done(words(name, Stream.concat(Stream.of("--json", json), Stream.of(more))));
    return new ObjectMapper().readTree(json.toFile());
  }

  private static Object[] words(String name, Stream<Object> more) {
    Stream<Object> first =
        Stream.of("train", config, "--runs", folder.resolve("runs"), "--name", name);
    return Stream.concat(first, more).toArray();
  }

  private static List<Double> losses(String name) throws IOException {
    return RunMetrics.losses(folder.resolve("runs").resolve(name));
  }

  private static void assertClose(List<Double> expected, List<Double> actual, double tolerance) {
    assertEquals(expected.size(), actual.size());
    for (int i = 0; i < expected.size(); i++) {
      assertEquals(expected.get(i), actual.get(i), tolerance * expected.get(i), "step " + (i + 1));
    }
  }

  @Test
  void trainsAsTheProcessorDoesAndServesAllCommands() throws IOException {
    JsonNode processor = train("processor", "--set", "device=cpu", "--set", "steps=12");
    train("short", "--set", "steps=12");
    assertClose(losses("processor"), losses("short"), 5e-3);
    JsonNode trained = train("gpu");
    assertNotEquals(processor.path("digest"), trained.path("digest"));
    Path run = folder.resolve("runs/gpu");
    Path json = folder.resolve("eval.json");
    CommandRun.done("eval", run, "--json", json);
    JsonNode evaluated = new ObjectMapper().readTree(json.toFile());
    assertEquals(trained.path("accuracy"), evaluated.path("accuracy"));
    Path exported = folder.resolve("digits.safetensors");
    CommandRun.done("export", run, "--output", exported);
    assertTrue(Files.size(exported) > 0);
  }

  @Test
  void twoRanksOnOneGpuEndWithTheSameBits() throws IOException {
    JsonNode two = train("two", "-n", 2);
    assertTrue(two.path("replicasIdentical").asBoolean());
    assertEquals(two.path("digest"), train("two-again", "-n", 2).path("digest"));
    train("one");
    assertClose(losses("one"), losses("two"), 5e-2);
  }

  @Test
  void logicalShardsGiveTheSameBitsOnAnyNumberOfRanks() throws IOException {
    Object[] elastic = {"--set", "determinism=elastic", "--set", "shards=4"};
    JsonNode one = train("elastic-one", elastic);
    JsonNode two =
        train("elastic-two", Stream.concat(Stream.of("-n", 2), Stream.of(elastic)).toArray());
    assertEquals(one.path("digest"), two.path("digest"));
  }

  @Test
  void batchNormalisationsOfAllRanksAndFrozenOnes() throws IOException {
    Object[] normalised = {
      "--set",
      "network={input: [1, 28, 28], layers: [{name: conv, type: convolution, filters: 4,"
          + " kernel: 5, stride: 2}, {name: norm, type: batch-norm}, {name: relu, type:"
          + " relu}, {name: norm2, type: batch-norm}, {name: flatten, type: flatten},"
          + " {name: scores, type: fully-connected, outputs: 10}]}",
      "--set",
      "determinism=elastic",
      "--set",
      "shards=4",
      "--set",
      "synchronised-batch-norm=true",
      "--set",
      "steps=6"
    };
    JsonNode one = train("normalised-one", normalised);
    Stream<Object> two = Stream.concat(Stream.of("-n", 2), Stream.of(normalised));
    assertEquals(one.path("digest"), train("normalised-two", two.toArray()).path("digest"));
    Stream<Object> frozen = Stream.concat(Stream.of(normalised), Stream.of("--freeze", "norm2"));
    train("frozen", frozen.toArray());
    frozen =
        Stream.concat(
            Stream.of(normalised),
            Stream.of("--freeze", "norm2", "--set", "synchronised-batch-norm=false"));
    train("frozen-alone", frozen.toArray());
  }

  @ParameterizedTest
  @ValueSource(strings = {"filter=2", "data=2,filter=2", "channel=2", "spatial=2"})
  void splitNetworks(String strategy) throws IOException {
    String name = strategy.replaceAll("[=,]", "-");
    JsonNode split = train(name, "--strategy", strategy, "--set", "steps=12");
    assertTrue(split.path("replicasIdentical").asBoolean());
    train(name + "-processor", "--strategy", strategy, "--set", "steps=12", "--set", "device=cpu");
    assertClose(losses(name + "-processor"), losses(name), 5e-3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"float32", "tf32", "bfloat16"})
  void repeatedStepsGiveTheBitsOfOthers(String precision) throws IOException {
    Object[] graph = {"--set", "precision=" + precision};
    Object[] none = {"--set", "precision=" + precision, "--set", "graph=none"};
    assertEquals(
        train("graph-" + precision, graph).path("digest"),
        train("no-graph-" + precision, none).path("digest"));
  }

  @Test
  void aKilledRunGoesOnWithTheSameBits() throws Exception {
    Object[] longer = {"--set", "epochs=40"};
    String expected = train("undisturbed", longer).path("digest").asText();
    Path checkpoints = folder.resolve("runs/killed/checkpoints");
    Thread killer = Thread.ofPlatform().daemon().name("killer").start(() -> kill(checkpoints));
    CommandRun killed = CommandRun.of(words("killed", Stream.of(longer)));
    killer.join();
    assertEquals(3, killed.exitCode(), killed.err());
    JsonNode resumed = train("killed", "--set", "epochs=40", "--resume");
    assertEquals(expected, resumed.path("digest").asText());
  }

  /**
   * 32 activations of 800 KB each: 64 samples fit, 12,800 with their gradients into no GPU of
   * today.
   */
  @Test
  void aBatchThatGrowsOutOfMemoryLeavesAGoodCheckpoint() throws IOException {
    Path many = folder.resolve("many");
    GlyphDatabase.write(many, new Seed(3), 25_600, Progress.SILENT);
    StringBuilder layers = new StringBuilder();
    for (int i = 0; i < 32; i++) {
      layers.append(
          "{name: conv%1$d, type: convolution, filters: 256, kernel: 1}, {name: relu%1$d, type: relu}, "
              .formatted(i));
    }
    Object[] growing = {
      "--set", "data.train=" + many,
      "--set",
          "network={input: [1, 28, 28], layers: [%s{name: pool, type: global-average-pool},"
                  .formatted(layers)
              + " {name: scores, type: fully-connected, outputs: 10}]}",
      "--set", "precision=tf32",
      "--set", "schedule={kind: constant, rate: 1e-6}",
      "--set", "batch={global: 64}",
      "--set", "epochs=1"
    };
    Stream<Object> wide =
        Stream.of(
            "--set", "batch.grow={limit: 12800, factor: 200, threshold: 0.9, window-samples: 960}");
    CommandRun failed = CommandRun.of(words("wide", Stream.concat(Stream.of(growing), wide)));
    assertEquals(1, failed.exitCode(), failed.err());
    Matcher line =
        Pattern.compile(
                "out of memory on cuda:0, .* set batch.grow.limit to (\\d+) \\(it is 12800\\)")
            .matcher(failed.err());
    assertTrue(line.find(), failed.err());
    int before = losses("wide").size();
    assertTrue(before >= 15, "steps: " + before);
    Stream<Object> narrower =
        Stream.of(
            "--set",
            "batch.grow={limit: %s, factor: 200, threshold: 0.9, window-samples: 960}"
                .formatted(line.group(1)),
            "--resume");
    CommandRun.done(words("wide", Stream.concat(Stream.of(growing), narrower)));
    assertTrue(losses("wide").size() > before);
    Matcher alone =
        Pattern.compile(
                "set batch.global to (\\d+) \\(it is 12800\\), or batch.accumulation to (\\d+)")
            .matcher(
                CommandRun.of(
                        words(
                            "at-once",
                            Stream.concat(
                                Stream.of(growing), Stream.of("--set", "batch.global=12800"))))
                    .err());
    assertTrue(alone.find());
    train(
        "in-parts",
        Stream.concat(
                Stream.of(growing),
                Stream.of(
                    "--set", "batch={global: 12800, accumulation: %s}".formatted(alone.group(2))))
            .toArray());
  }

  /** Kills the rank as soon as it has a checkpoint. */
  private static void kill(Path checkpoints) {
    while (!hasOne(checkpoints)) {
      LockSupport.parkNanos(1_000_000);
    }
    ProcessHandle.current()
        .descendants()
        .filter(process -> process.info().command().orElse("").endsWith("/java"))
        .forEach(ProcessHandle::destroyForcibly);
  }

  private static boolean hasOne(Path checkpoints) {
    try (Stream<Path> steps = Files.list(checkpoints)) {
      return steps.anyMatch(step -> Files.exists(step.resolve("manifest.json")));
    } catch (IOException e) {
      return false; // There is none yet.
    }
  }

  @Test
  void theExampleTrains() {
    Path digits = folder.resolve("coloured");
    CommandRun.done("data", "make", "--kind", "digits", "--records", 600, digits);
    CommandRun run =
        CommandRun.done(
            "train",
            Path.of(System.getProperty("tandem.home", ".."), "examples", "gpu.yaml"),
            "--runs",
            folder.resolve("runs"),
            "--name",
            "example",
            "--set",
            "data.train=" + digits,
            "--set",
            "data.test=" + digits,
            "--set",
            "steps=4");
    assertTrue(run.out().contains("test accuracy"), run.out());
    CommandRun version = CommandRun.of("--version", "-v");
    assertTrue(version.out().contains("cuda:0: "), version.out());
  }

  @Test
  void aProfileOfTheGpu() {
    Path profile = folder.resolve("gpu-profile.json");
    CommandRun.done(
        "profile",
        "lenet",
        "--device",
        "cuda",
        "--samples",
        "8",
        "--strategies",
        "data",
        "--output",
        profile);
    String plan = CommandRun.done("plan", "lenet", "--profile", profile).out();
    assertTrue(plan.contains("data"), plan);
  }

  @Test
  void theAutomaticStrategyIsThatOfAProfileOfTheGpu() throws IOException {
    Object[] automatic =
        words("automatic", Stream.of("--strategy", "auto", "-n", 2, "--set", "steps=2"));
    String out = CommandRun.done(automatic).out();
    assertTrue(out.startsWith("strategy: data, since profile.json is not here: "), out);
    Path profile = Path.of("profile.json"); // in the working directory, where it is looked for
    try {
      CommandRun.done("profile", config, "-n", 2, "--device", "cuda", "--samples", "25");
      automatic[5] = "automatic-measured";
      out = CommandRun.done(automatic).out();
      assertTrue(out.contains("ways on 2 processes by profile.json"), out);
    } finally {
      Files.deleteIfExists(profile);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pipeline", "sharded"})
  void whatAGpuDoesNotIsOneLine(String strategy) {
    String line = CommandRun.failed(2, words("never", Stream.of("-n", 2, "--strategy", strategy)));
    assertTrue(line.contains("device: cuda, but"), line);
    assertTrue(Files.notExists(folder.resolve("runs/never")));
  }
}
