package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.ExitCode;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TuneResumeTest {

  @TempDir private Path folder;

  /** A study whose trials print the length of a word. */
  private Path study(String space, String more) throws IOException {
    return Files.writeString(
        folder.resolve("words.yaml"),
        """
        space: {word: %s}
        objective: {command: [sh, -c, 'word={word}; echo "{\\"value\\": ${#word}}"']}
        needs: {cores: 0}
        workers: 2
        %s
        """
            .formatted(space, more));
  }

  private JsonNode done(Path study, Object... more) throws IOException {
    Path results = folder.resolve("results.json");
    Object[] usual = {"tune", study, "--runs", folder, "--json", results};
    Object[] all = new Object[usual.length + more.length];
    System.arraycopy(usual, 0, all, 0, usual.length);
    System.arraycopy(more, 0, all, usual.length, more.length);
    CommandRun.done(all);
    return TuneDriver.json(results);
  }

  @Test
  void interruptedByTheKeyboardTrialsEndAndTheStudyGoesOn() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("long.yaml"),
            """
            space: {x: {float: [0, 1]}}
            objective: {command: [sh, -c, 'echo $$ >> %1$s/pids; [ {trial} -lt 2 ] || [ -e %1$s/go ] || sleep 100; echo "{\\"value\\": {x}}"']}
            trials: 6
            needs: {cores: 0}
            workers: 2
            limits: {grace: 2s}
            """
                .formatted(folder));
    Path log = folder.resolve("log");
    Path study = folder.resolve("long");
    int code =
        Watchdog.within(
            Duration.ofSeconds(60),
            () -> {
              // A process started in the background may have been made to ignore the signal.
              Process driver =
                  TuneDriver.start(
                      List.of("env", "--default-signal=INT"), log, "tune", file, "--runs", folder);
              TuneDriver.await(study, "started", 4);
              new ProcessBuilder("kill", "-INT", Long.toString(driver.pid())).start().waitFor();
              return driver.waitFor();
            });
    assertEquals(ExitCode.STOPPED_AS_ASKED.code(), code, Files.readString(log));
    assertTrue(Files.readString(log).contains("--resume goes on"), Files.readString(log));
    for (String pid : Files.readAllLines(folder.resolve("pids"))) {
      assertTrue(ProcessHandle.of(Long.parseLong(pid)).isEmpty(), pid + " has outlived its driver");
    }
    CommandRun.done("tune", "verify", study);
    assertEquals(2, TuneDriver.records(study, "ended").size());
    Files.createFile(folder.resolve("go"));
    Path results = folder.resolve("results.json");
    CommandRun.done("tune", file, "--runs", folder, "--resume", "--json", results);
    assertEquals(6, TuneDriver.json(results).at("/states/complete").asInt());
    Set<Long> ended = new HashSet<>();
    for (JsonNode end : TuneDriver.records(study, "ended")) {
      if (!end.path("state").asText().equals("RETRIED")) {
        assertTrue(ended.add(end.path("trial").asLong()), "ended twice: " + end);
      }
    }
  }

  @Test
  void aSpaceMayGrowBetweenSessionsButNotShrink() throws IOException {
    assertEquals(2, done(study("[a, bb]", "sampler: grid")).path("trials").size());
    JsonNode more = done(study("[ccc, a, bb, dddd]", "sampler: grid"), "--resume");
    assertEquals(4, more.at("/states/complete").asInt());
    assertEquals("ccc", more.at("/trials/2/parameters/word").asText());
    assertEquals("dddd", more.at("/trials/3/parameters/word").asText());
    CommandRun refused =
        CommandRun.of("tune", study("[a, bb]", "sampler: grid"), "--runs", folder, "--resume");
    assertEquals(2, refused.exitCode());
    assertTrue(
        refused.err().contains("space.word is [\"a\",\"bb\"], expected all values of"),
        refused.err());
    assertEquals(1, refused.err().strip().lines().count(), refused.err());
  }

  @Test
  void aStudyOfAllPointsEndsWithOneLineAndRepeatsThemIfItIsTold() throws IOException {
    Path file = study("[a, bb, ccc, dddd]", "trials: 50");
    CommandRun run = CommandRun.done("tune", file, "--runs", folder);
    assertTrue(run.out().contains("4 complete"), run.out());
    assertTrue(run.out().contains("every point of the space has been tried"), run.out());
    for (String method : List.of("ped-anova", "fanova")) {
      CommandRun shown =
          CommandRun.done("tune", "show", folder.resolve("words"), "--importance", method);
      assertTrue(shown.out().contains("importance (" + method + ")"), shown.out());
    }
    CommandRun guess =
        CommandRun.of("tune", "show", folder.resolve("words"), "--importance", "guess");
    assertEquals(2, guess.exitCode());
    assertTrue(guess.err().contains("expected ped-anova or fanova"), guess.err());
    JsonNode twice = done(file, "--resume", "--set", "repeats=2");
    assertEquals(8, twice.at("/states/complete").asInt());
    JsonNode grid = done(file, "--name", "grid", "--set", "sampler=grid", "--set", "repeats=3");
    assertEquals(12, grid.at("/states/complete").asInt());
    assertEquals("a", grid.at("/trials/4/parameters/word").asText());
    CommandRun never =
        CommandRun.of("tune", file, "--runs", folder, "--name", "never", "--set", "repeats=0");
    assertEquals(2, never.exitCode());
    assertTrue(never.err().contains("repeats is 0, expected 1 or more"), never.err());
  }
}
