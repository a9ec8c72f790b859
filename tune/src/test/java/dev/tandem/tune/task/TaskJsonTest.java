package dev.tandem.tune.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.tune.space.Parameters;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TaskJsonTest {

  private static final Call CALL =
      new Call(
          Parameters.of(Map.of("lr", 1e-5, "batch", 32, "opt", "adam")),
          "accuracy",
          new Seed(-7),
          10,
          "",
          Path.of("/runs/a/trials/0003"));

  /** An objective that has a name. */
  public static final class Named implements Objective {
    @Override
    public double run(TaskContext context) {
      return 1;
    }
  }

  private static JsonNode sent(JsonNode tree) throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    return mapper.readTree(mapper.writeValueAsBytes(tree));
  }

  @Test
  void tasksComeBackEqual() throws IOException {
    Task task =
        new Task(
            new TaskId("a", 3),
            List.of(
                new Task.Alternative(
                    new Work.CommandWork(
                        List.of("python3", "train.py", "{args}"),
                        Map.of("A", "b"),
                        new Work.Protocol(
                            Work.Protocol.Metrics.KATIB,
                            Optional.empty(),
                            Work.Protocol.Answers.STDIN),
                        CALL),
                    new Needs(1, 2, 1, 1L << 33)),
                new Task.Alternative(
                    new Work.TrainWork(
                        List.of("java", "-cp", "x"),
                        Path.of("a.yaml"),
                        Path.of("/data"),
                        "share",
                        CALL),
                    new Needs(2, 1, 0, 0))),
            Limits.DEFAULT.withTime(Duration.ofSeconds(3)),
            new RetryPolicy(0, 1, true),
            List.of(new Input.FromFile("data", Path.of("/data"), "0a1b")),
            4);
    assertEquals(task, TaskJson.read(sent(TaskJson.write(task))));
  }

  @Test
  void namedObjectivesTravelAndOthersAreRefused() throws IOException {
    Task named =
        new Task(
            new TaskId("a", 0),
            new Work.JavaWork(new Named(), CALL),
            Needs.ONE_CORE,
            Limits.DEFAULT,
            RetryPolicy.NONE);
    Work read = TaskJson.read(sent(TaskJson.write(named))).alternatives().getFirst().work();
    assertInstanceOf(Named.class, assertInstanceOf(Work.JavaWork.class, read).objective());
    Task lambda =
        new Task(
            new TaskId("a", 0),
            new Work.JavaWork(context -> 1, CALL),
            Needs.ONE_CORE,
            Limits.DEFAULT,
            RetryPolicy.NONE);
    assertThrows(UsageException.class, () -> TaskJson.write(lambda));
  }

  @Test
  void endingsComeBackEqual() throws IOException {
    for (Outcome outcome :
        List.of(
            new Outcome.Completed(0.1),
            new Outcome.Completed(Double.NaN),
            new Outcome.Completed(Double.NEGATIVE_INFINITY),
            new Outcome.Stopped("worse"),
            new Outcome.Failed("exit code 3"),
            new Outcome.Failed("memory", true),
            new Outcome.TimedOut(3.5),
            new Outcome.Lost("b", "gone"),
            new Outcome.Cancelled(),
            new Outcome.Skipped(new TaskId("a", 1)))) {
      Ending ending = new Ending(outcome, true, 2.5, Double.NaN);
      assertEquals(ending, OutcomeJson.readEnding(sent(OutcomeJson.write(ending))));
    }
    Attempt attempt = new Attempt(new TaskId("a", 1), 2, "n", List.of(0, 3), List.of(), 9, 8);
    assertEquals(attempt, OutcomeJson.readAttempt(sent(OutcomeJson.write(attempt))));
  }

  @Test
  void needsThatNoNodeMeetsAreRefused() {
    List<Node> nodes = List.of(new Node("a", 2, 0, 1L << 30), new Node("b", 4, 0, 1L << 30));
    new Needs(3, 2, 0, 0).requireRoom(nodes);
    assertTrue(
        assertThrows(UsageException.class, () -> new Needs(1, 5, 0, 0).requireRoom(nodes))
            .getMessage()
            .contains("4 cores"));
    assertThrows(UsageException.class, () -> new Needs(4, 2, 0, 0).requireRoom(nodes));
    assertThrows(UsageException.class, () -> new Needs(1, 0, 1, 0).requireRoom(nodes));
  }
}
