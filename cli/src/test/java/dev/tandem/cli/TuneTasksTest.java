package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.ExitCode;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TuneTasksTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path folder;

  private Path graph(String tasks) throws IOException {
    return Files.writeString(folder.resolve("graph.yaml"), tasks);
  }

  private Path runs() {
    return folder.resolve("runs");
  }

  private static Map<String, String> states(Path results) throws IOException {
    Map<String, String> states = new TreeMap<>();
    for (JsonNode task : TuneDriver.json(results).path("tasks")) {
      states.put(task.path("name").asText(), task.path("state").asText());
    }
    return states;
  }

  @Test
  void theExampleRunsAsItIs() throws IOException {
    Path results = folder.resolve("results.json");
    Path example = TuneDriver.example("tune-tasks.yaml");
    CommandRun.done("tune", "tasks", example, "--runs", runs(), "--json", results);
    Map<String, String> states = states(results);
    assertEquals(8, states.size(), states.toString());
    assertTrue(states.containsKey("split.count-2"), states.toString());
    Path study = runs().resolve("tune-tasks");
    String report = Files.readString(study.resolve("tasks/report/attempt-1/report.txt"));
    assertTrue(
        report.startsWith("numbers\n166\n167\n167\n2\n4\n"),
        report.lines().limit(6).toList()::toString);
    // What is kept is a study.
    CommandRun shown = CommandRun.done("tune", "show", study);
    assertTrue(shown.out().contains("task=split.count-0"), shown.out());
    CommandRun.done("tune", "verify", study);
    assertTrue(Files.readString(study.resolve("timeline.json")).contains("\"task\":\"report\""));
  }

  @Test
  void whatFailedRunsAgainWhenResumedAndWhatCompletedDoesNot() throws IOException {
    Path file =
        graph(
            """
            tasks:
              first: {command: [sh, -c, 'echo x >> %1$s/first; echo "{\\"accuracy\\": 3}"'], metric: accuracy}
              parent:
                command: [sh, -c, 'echo "tasks: {child: {command: [test, -e, %1$s/there]}}" > tasks.yaml; echo x >> %1$s/parent']
                after: first
              last: {command: [test, -d, '{parent}'], after: [parent]}
              aside: {command: ['true']}
            """
                .formatted(folder));
    Path results = folder.resolve("results.json");
    CommandRun failed = CommandRun.of("tune", "tasks", file, "--runs", runs(), "--json", results);
    assertEquals(ExitCode.FAILED.code(), failed.exitCode(), failed.err());
    assertTrue(
        failed.err().contains("2 of 5 tasks did not complete; parent.child: "), failed.err());
    assertEquals(
        Map.of(
            "first", "complete",
            "parent", "complete",
            "parent.child", "failed",
            "last", "skipped",
            "aside", "complete"),
        states(results));
    Files.createFile(folder.resolve("there"));
    CommandRun.done("tune", "tasks", file, "--runs", runs(), "--resume", "--json", results);
    assertEquals(5, states(results).values().stream().filter("complete"::equals).count());
    assertEquals("x\n", Files.readString(folder.resolve("first")));
    assertEquals("x\n", Files.readString(folder.resolve("parent")));
  }

  @Test
  void aDriverThatIsKilledLosesNoTaskThatHadCompleted() throws Exception {
    Path file =
        graph(
            """
            tasks:
              one: {command: [sh, -c, 'echo x >> %1$s/one']}
              two: {command: [sh, -c, 'test -e %1$s/go || sleep 1000'], after: one}
            """
                .formatted(folder));
    boolean _ =
        Watchdog.within(
            PATIENCE,
            () -> {
              Process driver =
                  TuneDriver.start(folder.resolve("log"), "tune", "tasks", file, "--runs", runs());
              TuneDriver.await(runs().resolve("graph"), "started", 2);
              driver.destroyForcibly().waitFor();
              return true;
            });
    Files.createFile(folder.resolve("go"));
    CommandRun.done("tune", "tasks", file, "--runs", runs(), "--resume");
    assertEquals("x\n", Files.readString(folder.resolve("one")));
  }

  @Test
  void whatIsWrongIsSaidBeforeAnythingStarts() throws IOException {
    refused("tasks: {a: {command: ['true'], needs: {cores: 100000}}}", "task a: needs are");
    refused(
        "tasks: {a: {command: ['true'], after: b}, b: {command: ['true'], after: a}}",
        "tasks wait for each other: a, b");
    refused("tasks: {a: {command: ['true'], after: c}}", "graph.yaml:1: tasks.a: after has 'c'");
    refused("tasks:\n  a: {comand: ['true']}", "graph.yaml:2: tasks.a: unknown key 'comand'");
    refused("tasks: {a: {}}", "expected one of command and train");
    refused("tasks: {a: {command: [echo, '{b}']}}", "unknown placeholder '{b}'");
    refused("tasks: {a/b: {command: ['true']}}", "expected a name of letters");
    refused("tasks: {a: {train: none.yaml}}", "train is none.yaml, which does not exist");
    refused("tasks: {}", "expected {NAME: {command: [...]}, ...}");
    assertFalse(Files.exists(runs()));
  }

  private void refused(String text, String expected) throws IOException {
    String error =
        CommandRun.failed(ExitCode.USAGE.code(), "tune", "tasks", graph(text), "--runs", runs());
    assertTrue(error.contains(expected), error);
  }
}
