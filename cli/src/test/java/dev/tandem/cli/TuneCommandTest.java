package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.ExitCode;
import dev.tandem.data.share.ShareStatus;
import dev.tandem.data.share.ShareWatch;
import dev.tandem.data.share.SharedSamples;
import dev.tandem.testkit.Watchdog;
import dev.tandem.tune.StudySession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TuneCommandTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path folder;

  /** The thesis' file, as it is: a grid of 27. */
  private Path thesis(String script) throws IOException {
    Files.writeString(
        folder.resolve("space.json"),
        """
        {"optimizer": ["Adam", "SGD", "RMSprop"], "num_epochs": [20, 50, 100],
         "batch_size": [32, 64, 128]}
        """);
    Path file = folder.resolve("thesis.yaml");
    Files.writeString(
        file,
        """
        space: space.json
        objective:
          command: [sh, -c, '%s']
        metric: accuracy
        direction: maximize
        sampler: grid
        needs: {cores: 0}
        workers: 4
        """
            .formatted(script));
    return file;
  }

  private JsonNode json(Path file) throws IOException {
    return new ObjectMapper().readTree(file.toFile());
  }

  @Test
  void aGridOfTwentySevenSurvivesTheEndOfItsDriver() throws Exception {
    Path file = thesis("sleep 0.1; echo \"{\\\"accuracy\\\": 0.{batch_size}}\"");
    Path study = folder.resolve("runs/thesis");
    boolean _ =
        Watchdog.within(
            PATIENCE,
            () -> {
              Process driver = start("tune", file, "--runs", folder.resolve("runs"));
              awaitEnds(study, 6);
              driver.destroyForcibly().waitFor();
              return true;
            });
    List<String> before = ends(study);
    assertTrue(before.size() >= 6 && before.size() < 27, before.size() + " ended");
    Path results = folder.resolve("results.json");
    CommandRun.done("tune", file, "--runs", folder.resolve("runs"), "--resume", "--json", results);
    JsonNode found = json(results);
    assertEquals(27, found.path("states").path("complete").asInt());
    assertEquals(64, found.at("/best/parameters/batch_size").asInt());
    List<String> after = ends(study);
    assertEquals(before, after.subList(0, before.size()));
    assertEquals(27, after.size());
    assertEquals(27, after.stream().distinct().count(), "a trial that had ended ran again");
    // A finished study says so again.
    CommandRun again = CommandRun.done("tune", file, "--runs", folder.resolve("runs"), "--resume");
    assertTrue(again.out().contains("27 complete"), again.out());
    CommandRun shown = CommandRun.done("tune", "show", study);
    assertEquals(27, shown.out().lines().filter(line -> line.contains("complete")).count());
    CommandRun.done("tune", "verify", study);
    Path csv = folder.resolve("trials.csv");
    CommandRun.done("tune", "export", study, "--csv", csv);
    assertEquals(28, Files.readAllLines(csv).size());
    // A slice for each attempt that started, and a mark for each driver.
    String trace = json(study.resolve("timeline.json")).path("traceEvents").toString();
    Path timeline = folder.resolve("timeline.json");
    CommandRun.done("tune", "export", study, "--timeline", timeline);
    assertEquals(trace, json(timeline).path("traceEvents").toString());
    assertEquals(attempts(study), trace.split("\"ph\":\"X\"", -1).length - 1);
    assertEquals(3, trace.split("driver started", -1).length - 1);
  }

  @Test
  void theExampleRunsAsItIs() throws IOException {
    Path results = folder.resolve("results.json");
    CommandRun.done(
        "tune",
        Path.of("..", "examples", "tune-command.yaml").toAbsolutePath().normalize(),
        "--runs",
        folder.resolve("runs"),
        "--trials",
        6,
        "--set",
        "pruner=median",
        "--set",
        "trace=false",
        "--json",
        results);
    assertEquals(6, json(results).path("trials").size());
    assertFalse(Files.exists(folder.resolve("runs/tune-command/timeline.json")));
  }

  @Test
  void theExampleWithAnInputRunsAsItIs() throws IOException {
    Path results = folder.resolve("results.json");
    Path runs = folder.resolve("runs");
    Path example = Path.of("..", "examples", "tune-inputs.yaml").toAbsolutePath().normalize();
    CommandRun.done("tune", example, "--runs", runs, "--trials", 5, "--json", results);
    assertEquals(5, json(results).path("states").path("complete").asInt());
    try (Stream<Path> kept = Files.list(runs.resolve("tune-inputs/inputs"))) {
      assertEquals(1, kept.count());
    }
  }

  @Test
  void theExampleWithCheckpointsKeepsFewOfThem() throws Exception {
    Path runs = folder.resolve("runs");
    Path example = Path.of("..", "examples", "tune-checkpoints.yaml").toAbsolutePath().normalize();
    CommandRun.done("tune", example, "--runs", runs, "--trials", 3);
    for (String trial : List.of("0000", "0001", "0002")) {
      Path trials = runs.resolve("tune-checkpoints/trials").resolve(trial);
      try (Stream<Path> kept = Files.list(trials.resolve("attempt-1/checkpoint"))) {
        assertEquals(3, kept.count());
      }
    }
    // No disk has this much: the first trial waits until the study is interrupted.
    Path log = folder.resolve("driver.log");
    Process waiting =
        start("tune", example, "--runs", runs, "--name", "full", "--set", "free-space=1000 TiB");
    boolean _ =
        Watchdog.within(
            PATIENCE,
            () -> {
              while (!Files.readString(log).contains("free-space is")) {
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
              }
              waiting.destroy();
              return waiting.waitFor() >= 0;
            });
    assertEquals(ExitCode.STOPPED_AS_ASKED.code(), waiting.exitValue());
  }

  /** A training on a few records, with these keys. */
  private Path training(int records, String more) throws IOException {
    Path data = folder.resolve("records");
    CommandRun.done("data", "make", "--kind", "cifar", "--records", records, data);
    CommandRun.done("data", "index", data);
    return Files.writeString(
        folder.resolve("train.yaml"),
        """
        network: {model: caffe-cifar}
        data: {train: %1$s, test: %1$s}
        schedule: {rate: 0.01}
        epochs: 1
        %2$s
        """
            .formatted(data, more));
  }

  @Test
  @Tag("slow")
  void aTrainingConfigurationIsAnObjective() throws IOException {
    training(200, "");
    Path study = folder.resolve("study.yaml");
    Files.writeString(
        study,
        """
        space: {schedule.rate: {float: [1e-3, 1e-2], log: true}, batch.global: [32, 64]}
        objective: {train: train.yaml}
        metric: accuracy
        direction: maximize
        trials: 2
        """);
    Path results = folder.resolve("results.json");
    CommandRun.done(
        "tune", study, "--runs", folder.resolve("runs"), "--workers", 1, "--json", results);
    assertEquals(2, json(results).path("states").path("complete").asInt());
  }

  @Test
  @Tag("slow")
  void trainingsThatBeginAndEndAtDifferentTimesPrepareTheirSamplesOnce() throws Exception {
    training(600, "batch: {global: 20}");
    Path study = folder.resolve("study.yaml");
    Files.writeString(
        study,
        """
        space: {epochs: [2, 4, 6], schedule.rate: [0.001, 0.002]}
        objective: {train: train.yaml}
        metric: accuracy
        direction: maximize
        sampler: grid
        order: arrival
        share-data: true
        needs: {cores: 0}
        workers: 2
        """);
    Path results = folder.resolve("results.json");
    Path shares = SharedSamples.place("x").getParent();
    CompletableFuture<CommandRun> tuning =
        CompletableFuture.supplyAsync(
            () ->
                CommandRun.of("tune", study, "--runs", folder.resolve("runs"), "--json", results));
    long prepared = 0;
    long delivered = 0;
    Set<String> takers = new TreeSet<>();
    while (!tuning.isDone()) {
      Optional<ShareWatch> watch = open(shares);
      if (watch.isPresent()) {
        try (ShareWatch share = watch.get()) {
          ShareStatus status = share.status();
          status.consumers().forEach(each -> takers.add(each.name()));
          long now = status.consumers().stream().mapToLong(each -> each.delivered()).sum();
          if (now >= delivered) {
            delivered = now;
            prepared = status.prepared();
          }
        }
      }
      LockSupport.parkNanos(100_000_000);
    }
    CommandRun run = tuning.join();
    assertEquals(0, run.exitCode(), run.err());
    assertEquals(6, json(results).path("states").path("complete").asInt());
    assertTrue(takers.size() > 2, takers.toString());
    assertTrue(prepared < 0.8 * delivered, prepared + " prepared, " + delivered + " delivered");
    assertTrue(open(shares).isEmpty(), "the share has outlived the study");
  }

  /** The share of this test's study, if there is one now. */
  private Optional<ShareWatch> open(Path shares) throws IOException {
    try (Stream<Path> all = Files.list(shares)) {
      return all.filter(path -> path.getFileName().toString().contains("-study-"))
          .findFirst()
          .flatMap(ShareWatch::open);
    }
  }

  private Process start(Object... arguments) throws IOException {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1"));
    words.addAll(List.of("-cp", System.getProperty("java.class.path"), Tandem.class.getName()));
    Stream.of(arguments).map(Object::toString).forEach(words::add);
    return new ProcessBuilder(words)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("driver.log").toFile())
        .start();
  }

  private static void awaitEnds(Path study, int count) throws IOException {
    while (!StudySession.exists(study) || ends(study).size() < count) {
      LockSupport.parkNanos(20_000_000);
    }
  }

  private static long attempts(Path study) throws IOException {
    return Files.readString(study.resolve("study.journal"))
        .lines()
        .filter(line -> line.contains("\"type\":\"started\""))
        .count();
  }

  /** The trials that ended, in that order. */
  private static List<String> ends(Path study) throws IOException {
    return Files.readString(study.resolve("study.journal"))
        .lines()
        .filter(line -> line.contains("\"type\":\"ended\"") && !line.contains("RETRIED"))
        .map(line -> line.replaceAll(".*\"trial\":(\\d+).*", "$1"))
        .toList();
  }
}
