package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.testkit.Watchdog;
import java.io.BufferedReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo as a user runs it: a process of its own that starts two more. */
class DemoTest {

  private static final Duration LIMIT = Duration.ofMinutes(3);

  @TempDir Path folder;
  private Process process;
  private List<ProcessHandle> ranks = List.of();

  /** Starts the demo; standard error is read through the returned reader. */
  private BufferedReader start(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> flag.startsWith("-X") || flag.startsWith("--enable-native-access"))
        .forEach(command::add);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Tandem.class.getName()));
    command.addAll(List.of("demo", "--run", folder.resolve("run").toString()));
    command.addAll(List.of(arguments));
    process = new ProcessBuilder(command).redirectOutput(folder.resolve("out").toFile()).start();
    return process.errorReader();
  }

  /** Returns when the ranks train, with their processes. */
  private void awaitTraining(BufferedReader lines) throws Exception {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      System.out.println(line);
      if (line.startsWith("training")) {
        ranks = process.descendants().toList();
        return;
      }
    }
    throw new AssertionError("the demo ended before it trained");
  }

  private static ProcessHandle rank(List<ProcessHandle> ranks, int rank) throws Exception {
    for (ProcessHandle handle : ranks) {
      String environment = Files.readString(Path.of("/proc/" + handle.pid() + "/environ"));
      if (environment.contains("TANDEM_RANK=" + rank + "\0")) {
        return handle;
      }
    }
    throw new AssertionError("no process is rank " + rank);
  }

  private List<String> namesIn(Path root) throws Exception {
    try (Stream<Path> walk = Files.walk(root)) {
      return walk.map(path -> root.relativize(path).toString()).sorted().toList();
    }
  }

  private static void awaitEnd(List<ProcessHandle> processes) throws Exception {
    for (ProcessHandle each : processes) {
      each.onExit().get(30, TimeUnit.SECONDS);
    }
  }

  @AfterEach
  void leaveNothingRunning() {
    ranks.forEach(ProcessHandle::destroyForcibly);
    if (process != null) {
      process.destroyForcibly();
    }
  }

  @Test
  void trainsReportsAndLeavesTheFilesItPromises() throws Exception {
    Watchdog.within(
        LIMIT,
        () -> {
          Path json = folder.resolve("out.json");
          BufferedReader lines =
              start("--images", "2000", "--epochs", "6", "--json", json.toString());
          awaitTraining(lines);
          assertEquals(2, ranks.size());
          lines.lines().forEach(System.out::println);
          assertEquals(0, process.waitFor());
          JsonNode results = new ObjectMapper().readTree(json.toFile());
          assertTrue(results.path("accuracy").asDouble() > 0.6, results.toString());
          assertTrue(results.path("imagesPerSecond").asDouble() > 0);
          assertEquals(2, results.path("ranks").asInt());
          assertTrue(results.path("replicasIdentical").asBoolean());
          String printed = Files.readString(folder.resolve("out"));
          assertTrue(printed.contains("replicas identical: yes"), printed);
          assertTrue(printed.contains("loading: The bottleneck is "), printed);
          assertFalse(results.path("bottleneck").asText().isEmpty(), results.toString());
          String metrics = Files.readString(folder.resolve("run/metrics.jsonl"));
          assertEquals(
              6, metrics.lines().filter(line -> line.contains("\"event\":\"loading\"")).count());
          List<String> names = namesIn(folder.resolve("run"));
          assertTrue(
              names.containsAll(
                  List.of(
                      "checkpoints/step-000000096/manifest.json",
                      "checkpoints/step-000000096/shard-00000-of-00002.safetensors",
                      "config.yaml",
                      "data/test/data.mdb",
                      "data/train/data.mdb",
                      "data/train/data.mdb.tdx",
                      "metrics.jsonl",
                      "report.html")),
              names.toString());
          return null;
        });
  }

  @Tag("slow")
  @Test
  void aKilledRankEndsTheOtherAndIsNamed() throws Exception {
    Watchdog.within(
        LIMIT,
        () -> {
          BufferedReader lines = start("--images", "500", "--epochs", "1000");
          awaitTraining(lines);
          ProcessHandle victim = rank(ranks, 1);
          long killed = System.nanoTime();
          victim.destroyForcibly();
          List<String> rest = lines.lines().toList();
          assertEquals(3, process.waitFor());
          awaitEnd(ranks);
          double seconds = (System.nanoTime() - killed) / 1e9;
          assertTrue(seconds < 10, "took " + seconds + " s");
          assertTrue(rest.getLast().startsWith("tandem: lost rank 1"), rest.toString());
          assertTrue(
              rest.stream().anyMatch(line -> line.startsWith("[rank 0] error: lost rank 1")),
              rest.toString());
          return null;
        });
  }

  @Test
  @Tag("slow")
  void stoppingItStopsEverythingAndLeavesNothingHalfWritten() throws Exception {
    Watchdog.within(
        LIMIT,
        () -> {
          BufferedReader lines = start("--images", "500", "--epochs", "1000");
          awaitTraining(lines);
          // SIGTERM runs the same shutdown hooks as Ctrl-C; Process.destroy would close the pipe
          // too.
          process.toHandle().destroy();
          List<String> rest = lines.lines().toList();
          assertEquals(143, process.waitFor());
          awaitEnd(ranks);
          assertFalse(rest.toString().contains("lost rank"), rest.toString());
          assertFalse(namesIn(folder.resolve("run")).toString().contains(".pending"));
          return null;
        });
  }
}
