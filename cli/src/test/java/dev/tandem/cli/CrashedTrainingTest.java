package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.GlyphDatabase;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs whose processes are killed or whose disk is full: nothing is lost or mixed up, and they end
 * with the bits of a run that nothing happened to.
 */
class CrashedTrainingTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int EPOCHS = 8;

  @TempDir static Path folder;
  private static Path config;
  private static String digest;
  private static List<Double> losses;

  @BeforeAll
  static void trainUndisturbed() throws IOException {
    GlyphDatabase.write(folder.resolve("train"), new Seed(1), 600, Progress.SILENT);
    GlyphDatabase.write(folder.resolve("test"), new Seed(2), 100, Progress.SILENT);
    config = folder.resolve("digits.yaml");
    Files.writeString(
        config,
        """
        network: {model: digits}
        data: {train: '%1$s/train', test: '%1$s/test'}
        batch: {global: 50}
        epochs: %2$d
        optimizer: {momentum: 0.9}
        schedule: {rate: 0.02}
        guard: {clip: 1}
        """
            .formatted(folder, EPOCHS));
    digest = train(folder.resolve("runs"), "undisturbed").path("digest").asText();
    losses = RunMetrics.losses(folder.resolve("runs/undisturbed"));
  }

  private static JsonNode train(Path runs, String name, String... more) throws IOException {
    Path json = folder.resolve(name + ".json");
    List<Object> arguments = new ArrayList<>(List.of("train", config, "-n", 2, "--name", name));
    arguments.addAll(List.of("--runs", runs, "--json", json));
    arguments.addAll(List.of(more));
    CommandRun.done(arguments.toArray());
    return JSON.readTree(json.toFile());
  }

  private static Process start(Path runs, String name, String... more) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Tandem.class.getName()));
    command.addAll(List.of("train", config.toString(), "-n", "2", "--name", name));
    command.addAll(List.of("--runs", runs.toString()));
    command.addAll(List.of(more));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log(name).toFile())
        .start();
  }

  private static Path log(String name) {
    return folder.resolve(name + ".log");
  }

  /** Waits until something holds; the process must live until then. */
  private static void await(Process process, BooleanSupplier reached) {
    while (!reached.getAsBoolean()) {
      assertTrue(process.isAlive(), "the run ended too early");
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static long steps(Path run) {
    Path metrics = run.resolve("metrics.jsonl");
    try (Stream<String> lines = Files.exists(metrics) ? Files.lines(metrics) : Stream.empty()) {
      return lines.filter(line -> line.contains("\"event\":\"step\"")).count();
    } catch (IOException e) {
      return 0;
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "";
    }
  }

  private static String state(Path run) throws IOException {
    return JSON.readTree(run.resolve("run.json").toFile()).path("state").asText();
  }

  private static Map<String, String> content(Path run) throws IOException {
    Map<String, String> content = new TreeMap<>();
    for (String name : List.of("config.yaml", "run.json", "run.lock")) {
      content.put(name, text(run.resolve(name)) + Files.getLastModifiedTime(run.resolve(name)));
    }
    return content;
  }

  private static void assertEndsAsUndisturbed(Path runs, String name) throws IOException {
    JsonNode resumed = train(runs, name, "--resume");
    assertEquals(digest, resumed.path("digest").asText());
    Path run = runs.resolve(name);
    assertEquals(losses, RunMetrics.losses(run));
    assertEquals("done", state(run));
    String complete =
        CommandRun.done("train", config, "-n", 2, "--name", name, "--runs", runs, "--resume").out();
    assertTrue(complete.contains("is complete after " + losses.size() + " steps"), complete);
  }

  @Test
  void aRankThatIsKilledLosesNothingAndNoOtherProcessTouchesTheRun() throws Exception {
    Path runs = folder.resolve("runs");
    Path run = runs.resolve("rank");
    Process process = start(runs, "rank", "--set", "checkpoint.every-steps=0");
    await(process, () -> steps(run) >= 5);
    Map<String, String> before = content(run);
    String refused =
        CommandRun.failed(
            2, "train", config, "-n", 2, "--name", "rank", "--runs", runs, "--resume");
    assertTrue(
        refused.matches(
            ".*runs/rank is in use by process %d on \\S+ since \\d\\d:\\d\\d"
                .formatted(process.pid())),
        refused);
    assertEquals(before, content(run));
    process
        .descendants()
        .filter(CrashedTrainingTest::isJava)
        .findFirst()
        .orElseThrow()
        .destroyForcibly();
    assertEquals(3, process.waitFor(), text(log("rank")));
    assertEquals("lost", state(run));
    assertTrue(text(log("rank")).contains("a rank was lost; step "), text(log("rank")));
    makeVersion1(run);
    assertEndsAsUndisturbed(runs, "rank");
    assertTrue(Files.exists(run.resolve("report.html")));
  }

  private static boolean isJava(ProcessHandle process) {
    return process.info().command().orElse("").endsWith("/java");
  }

  /** Leaves what version 1 would have left. */
  private static void makeVersion1(Path run) throws IOException {
    Files.delete(run.resolve("run.json"));
    Files.delete(run.resolve("run.lock"));
    StringBuilder lines = new StringBuilder();
    for (String line : Files.readAllLines(run.resolve("metrics.jsonl"))) {
      ObjectNode event = (ObjectNode) JSON.readTree(line);
      if (Set.of("step", "epoch", "loading", "result").contains(event.path("event").asText())) {
        event.remove(
            List.of(
                "t", "accuracy", "ms", "read", "forward", "backward", "sync", "update", "save"));
        lines.append(event).append("\n");
      }
    }
    Files.writeString(run.resolve("metrics.jsonl"), lines);
  }

  @Test
  @Tag("slow")
  void aLauncherThatIsKilledGivesTheRunFree() throws Exception {
    Path runs = folder.resolve("runs");
    Path run = runs.resolve("launcher");
    Process process = start(runs, "launcher", "--set", "checkpoint.every-steps=4");
    await(
        process,
        () -> steps(run) >= 10 && text(run.resolve("metrics.jsonl")).contains("committed"));
    List<ProcessHandle> ranks = process.descendants().filter(CrashedTrainingTest::isJava).toList();
    process.destroyForcibly();
    ranks.forEach(rank -> rank.onExit().join()); // they notice, and end
    assertEquals("running", state(run));
    assertTrue(CommandRun.done("runs", "ls", runs).out().contains("lost"));
    assertEndsAsUndisturbed(runs, "launcher");
  }

  @Test
  @Tag("slow")
  void controlCSavesAndSaysSo() throws Exception {
    Path runs = folder.resolve("runs");
    Path run = runs.resolve("interrupted");
    Process process = start(runs, "interrupted", "--set", "checkpoint.every-steps=0");
    await(process, () -> steps(run) >= 5);
    new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
    assertEquals(130, process.waitFor(), text(log("interrupted")));
    String said = text(log("interrupted"));
    assertTrue(said.contains("tandem: stopped as asked after step "), said);
    assertEquals("stopped", state(run));
    assertTrue(Files.exists(run.resolve("report.html")));
    assertEndsAsUndisturbed(runs, "interrupted");
  }

  @Test
  @Tag("slow")
  void withoutACheckpointARunIsNotResumedSilently() throws Exception {
    Path runs = folder.resolve("runs");
    Path run = runs.resolve("nothing");
    Process process = start(runs, "nothing", "--set", "checkpoint.every-steps=0");
    await(process, () -> steps(run) >= 5);
    List<ProcessHandle> ranks = process.descendants().filter(CrashedTrainingTest::isJava).toList();
    ranks.forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.waitFor();
    String refused =
        CommandRun.failed(
            2, "train", config, "-n", 2, "--name", "nothing", "--runs", runs, "--resume");
    assertTrue(refused.contains("--resume=or-begin"), refused);
    assertEquals(digest, train(runs, "nothing", "--resume=or-begin").path("digest").asText());
    assertEquals(losses, RunMetrics.losses(run));
  }

  /**
   * All files of the run are on the disk that becomes full: metrics, events, state, checkpoints.
   */
  @Test
  @Tag("slow")
  void aFullDiskNeverEndsTraining() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    boolean mounted =
        new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk.toString())
                .start()
                .waitFor()
            == 0;
    if (!mounted) {
      System.out.println("skipped: only root may mount a small disk");
    }
    assumeTrue(mounted);
    try {
      Path run = disk.resolve("full");
      Process process = start(disk, "full", "--set", "checkpoint.every-steps=5");
      await(process, () -> steps(run) >= 3);
      Path filler = disk.resolve("filler");
      fill(filler);
      await(process, () -> text(log("full")).contains("metrics.jsonl: the disk is full"));
      await(
          process,
          () -> text(log("full")).contains("training continues, the last good checkpoint"));
      assertTrue(process.isAlive());
      Files.delete(filler);
      assertEquals(0, process.waitFor(), text(log("full")));
      assertTrue(text(log("full")).contains("metrics.jsonl is written again"), text(log("full")));
      assertEquals(losses, RunMetrics.losses(run));
      assertEquals("done", state(run));
      assertFalse(text(run.resolve("report.html")).isEmpty());
      JsonNode last = null;
      for (String line : Files.readAllLines(run.resolve("metrics.jsonl"))) {
        JsonNode event = JSON.readTree(line);
        last = event.path("event").asText().equals("result") ? event : last;
      }
      assertEquals(digest, last.path("digest").asText());
    } finally {
      new ProcessBuilder("umount", "-l", disk.toString()).start().waitFor();
    }
  }

  /** Takes every byte that is left. */
  private static void fill(Path file) {
    try (OutputStream stream = Files.newOutputStream(file)) {
      byte[] block = new byte[4096];
      while (true) {
        stream.write(block);
      }
    } catch (IOException e) {
      // The disk is full.
    }
  }
}
