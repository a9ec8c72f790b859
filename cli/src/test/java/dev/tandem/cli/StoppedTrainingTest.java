package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.GlyphDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A training is asked to stop as schedulers do, as a whole or in one of its ranks: it saves the
 * step it has made, and goes on from there with the bits of one that nobody disturbed.
 */
class StoppedTrainingTest {

  @TempDir static Path folder;
  private static Path config;
  private static Path remoteShell;
  private static String undisturbed;

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
        epochs: 8
        threads: 1
        optimizer: {momentum: 0.9}
        schedule: {rate: 0.02}
        checkpoint: {every-steps: 0}
        """
            .formatted(folder));
    // Every host is this one, but no signal to a remote shell gets through to what it runs there.
    remoteShell = folder.resolve("remote-shell");
    Files.writeString(remoteShell, "#!/bin/sh\nshift\nexec setsid sh -c \"$*\"\n");
    Files.setPosixFilePermissions(remoteShell, PosixFilePermissions.fromString("rwx------"));
    undisturbed = digest("undisturbed");
  }

  private static List<String> arguments(String name, String... more) {
    List<String> arguments = new ArrayList<>(List.of("train", config.toString(), "-n", "2"));
    arguments.addAll(List.of("--name", name, "--runs", folder.resolve("runs").toString()));
    arguments.addAll(List.of(more));
    return arguments;
  }

  /** Trains in a process of this one to the end; gives the parameters' digest. */
  private static String digest(String name, String... more) throws IOException {
    Path json = folder.resolve(name + ".json");
    List<String> arguments = arguments(name, more);
    arguments.addAll(List.of("--json", json.toString()));
    CommandRun.done(arguments.toArray());
    return new ObjectMapper().readTree(json.toFile()).path("digest").asText();
  }

  /** How many steps a run has made. */
  private static long steps(String name) {
    Path metrics = folder.resolve("runs").resolve(name).resolve("metrics.jsonl");
    try (Stream<String> lines = Files.exists(metrics) ? Files.lines(metrics) : Stream.empty()) {
      return lines.filter(line -> line.contains("\"event\":\"step\"")).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until a run has made more steps than these. */
  private static void awaitMoreSteps(String name, long steps, ProcessHandle job) {
    while (job.isAlive() && steps(name) <= steps) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** Has a training in a session of its own stopped, and goes on to its end. */
  private static void stoppedAndResumed(String name, int code, boolean group, String... more)
      throws Exception {
    stopped(name, code, group, more);
    assertEquals(undisturbed, digest(name, "--resume"));
  }

  /**
   * Starts a training in a session of its own and asks it to stop.
   *
   * @param group by Ctrl-C, which all of its processes get; else SIGTERM
   */
  private static void stopped(String name, int code, boolean group, String... more)
      throws Exception {
    Path log = folder.resolve(name + ".log");
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT", "setsid"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Tandem.class.getName()));
    command.addAll(arguments(name, more));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    awaitMoreSteps(name, 0, process.toHandle());
    if (group) {
      assertEquals(
          0, new ProcessBuilder("kill", "-INT", "--", "-" + process.pid()).start().waitFor());
    } else {
      process.toHandle().destroy();
    }
    assertEquals(code, process.waitFor(), Files.readString(log));
    CommandRun.done("checkpoint", "verify", folder.resolve("runs").resolve(name));
  }

  /** As a whole, by a notice to one rank, and in a rank that can be replaced: one run for all. */
  @Test
  void stoppedAgainAndAgainItEndsWithTheSameBits() throws Exception {
    stopped("again", 143, false, hosts("a:1,b:1"));
    aNoticeToOneRankStopsAll("again", "--resume");
    aRankThatCanBeReplacedIs("again", "--resume");
  }

  @Test
  @Tag("slow")
  void ranksOfThisMachine() throws Exception {
    stoppedAndResumed("local", 143, false);
  }

  @Test
  @Tag("slow")
  void ranksOfOtherHosts() throws Exception {
    stoppedAndResumed("remote", 143, false, hosts("a:1,b:1"));
  }

  /** Ctrl-C goes to all processes of a terminal, also to remote shells. */
  @Test
  @Tag("slow")
  void aRankHereAndOneElsewhereByControlC() throws Exception {
    stoppedAndResumed("mixed", 130, true, hosts("localhost:1,b:1"));
  }

  @Test
  @Tag("slow")
  void aRankHereAndOneElsewhere() throws Exception {
    stoppedAndResumed("mixed-term", 143, false, hosts("localhost:1,b:1"));
  }

  @Test
  @Tag("slow")
  void ranksThatCouldBeReplaced() throws Exception {
    stoppedAndResumed("replaceable", 143, false, "--max-restarts", "3");
  }

  private static String[] hosts(String hosts) {
    return new String[] {"--hosts", hosts, "--rsh", remoteShell.toString(), "--bind", "127.0.0.1"};
  }

  /** Sends SIGTERM to one rank, or to all, when the run of this name makes steps, or more steps. */
  private static Thread notice(String name, List<Integer> ranks) {
    long before = steps(name);
    return Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              awaitMoreSteps(name, before, ProcessHandle.current());
              List<ProcessHandle> processes =
                  ProcessHandle.current()
                      .descendants()
                      .filter(process -> process.info().command().orElse("").endsWith("/java"))
                      .sorted(Comparator.comparingLong(ProcessHandle::pid))
                      .toList();
              ranks.forEach(rank -> processes.get(rank).destroy());
            });
  }

  @Test
  @Tag("slow")
  void aNoticeToOneRank() throws Exception {
    aNoticeToOneRankStopsAll("one");
    assertEquals(undisturbed, digest("one", "--resume"));
  }

  private static void aNoticeToOneRankStopsAll(String name, String... more) throws Exception {
    Thread notice = notice(name, List.of(1));
    CommandRun run = CommandRun.of(arguments(name, more).toArray());
    notice.join();
    assertEquals(4, run.exitCode(), run.err());
    assertTrue(run.err().matches("tandem: stopped as asked after step \\d+; .*\n"), run.err());
    CommandRun.done("checkpoint", "verify", folder.resolve("runs").resolve(name));
  }

  @Test
  @Tag("slow")
  void aRankCanBeReplaced() throws Exception {
    aRankThatCanBeReplacedIs("replaced");
  }

  private static void aRankThatCanBeReplacedIs(String name, String... more) throws Exception {
    Thread notice = notice(name, List.of(0));
    List<String> arguments = new ArrayList<>(List.of("--max-restarts", "1"));
    arguments.addAll(List.of(more));
    assertEquals(undisturbed, digest(name, arguments.toArray(String[]::new)));
    notice.join();
  }

  @Test
  @Tag("slow")
  void noticesToAllStopTheRunAlsoIfTheyCouldBeReplaced() throws Exception {
    Thread notice = notice("all", List.of(0, 1));
    CommandRun run = CommandRun.of(arguments("all", "--max-restarts", "9").toArray());
    notice.join();
    assertEquals(4, run.exitCode(), run.err());
    assertEquals(undisturbed, digest("all", "--resume"));
  }
}
