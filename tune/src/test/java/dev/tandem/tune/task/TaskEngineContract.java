package dev.tandem.tune.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.testkit.Watchdog;
import dev.tandem.tune.space.Parameters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every engine does with tasks. */
public abstract class TaskEngineContract {

  /** How long a test may take: engines of clusters start slowly. */
  protected Duration patience() {
    return Duration.ofSeconds(60);
  }

  /** The folder of a test's trials, seen by all nodes. */
  @TempDir protected Path folder;

  /** The engine to test; with two cores or more. Closed by the caller. */
  protected abstract TaskEngine engine();

  /** A task with a number. */
  protected final Task task(long number, Work work, Limits limits, RetryPolicy retries) {
    return new Task(new TaskId("contract", number), work, Needs.ONE_CORE, limits, retries);
  }

  /** A call with a folder for the task's number. */
  protected final Call call(long number) {
    return new Call(
        Parameters.of(Map.of("x", 2)),
        "accuracy",
        new Seed(number),
        0,
        "",
        folder.resolve("trials").resolve(Long.toString(number)));
  }

  /** A shell script as work. */
  protected final Work script(long number, String script) {
    return new Work.CommandWork(
        List.of("sh", "-c", script), Map.of(), Work.Protocol.DEFAULT, call(number));
  }

  private Outcome run(Task task, RecordingListener listener) {
    try (TaskEngine engine = engine()) {
      return engine.submit(task, listener).outcome().join();
    }
  }

  /** Something to test. */
  private interface Action {
    void run() throws Exception;
  }

  private void watched(Action action) throws Exception {
    boolean _ =
        Watchdog.within(
            patience(),
            () -> {
              action.run();
              return true;
            });
  }

  @Test
  void reportsAndTheValueOfACommand() throws Exception {
    watched(
        () -> {
          RecordingListener listener = new RecordingListener();
          String script =
              "echo hello; echo '{\"step\":1,\"accuracy\":0.5,\"loss\":2}'; mkdir"
                  + " \"$TANDEM_CHECKPOINT/one\"; echo '{\"checkpoint\":\"one\",\"step\":1}'; echo"
                  + " '@tandem {\"step\":2,\"accuracy\":0.75}'; echo '{broken'; echo '{broken';"
                  + " test \"$(cat \"$TANDEM_PARAMS\")\" = '{\"x\":2}'";
          Outcome outcome =
              run(task(1, script(1, script), Limits.DEFAULT, RetryPolicy.NONE), listener);
          assertEquals(new Outcome.Completed(0.75), outcome);
          assertEquals(List.of(1L, 2L), listener.steps);
          assertEquals(Map.of("accuracy", 0.5, "loss", 2.0), listener.metrics.getFirst());
          assertEquals(1, listener.started.size());
          assertEquals(1, listener.endings.size());
          assertTrue(listener.checkpoints.getFirst().endsWith("attempt-1/checkpoint/one"));
          assertEquals(1, listener.notes.stream().filter(note -> note.contains("JSON")).count());
          Path log = folder.resolve("trials/1/attempt-1/stdout.log");
          assertTrue(Files.readString(log).startsWith("hello\n"));
        });
  }

  @Test
  void aStopEndsACommandWhateverItExitsWith() throws Exception {
    watched(
        () -> {
          RecordingListener listener = new RecordingListener(2);
          String script =
              "trap 'test -e \"$TANDEM_STOP_FILE\" && sleep 0.3 && >left; exit 3' TERM; i=0;"
                  + " while :; do i=$((i+1)); echo \"{\\\"step\\\":$i,\\\"accuracy\\\":0.1}\";"
                  + " sleep 0.1; done";
          Outcome outcome =
              run(task(2, script(2, script), Limits.DEFAULT, RetryPolicy.DEFAULT), listener);
          assertEquals(new Outcome.Stopped("enough"), outcome);
          assertEquals(List.of(1L, 2L), listener.steps);
          assertEquals(1, listener.endings.size());
          assertTrue(Files.exists(folder.resolve("trials/2/attempt-1/left")), "it had no time");
        });
  }

  @Test
  void aFailureIsRetriedAndSaysWhy() throws Exception {
    watched(
        () -> {
          RecordingListener listener = new RecordingListener();
          Outcome outcome =
              run(
                  task(
                      3,
                      script(3, "echo oh dear >&2; exit 7"),
                      Limits.DEFAULT,
                      new RetryPolicy(1, 1, false)),
                  listener);
          Outcome.Failed failed = assertInstanceOf(Outcome.Failed.class, outcome);
          assertTrue(failed.reason().contains("exit code 7"), failed.reason());
          assertTrue(failed.reason().contains("oh dear"), failed.reason());
          assertEquals(List.of(1, 2, 3), listener.started.stream().map(Attempt::number).toList());
          assertEquals(
              List.of(true, true, false), listener.endings.stream().map(Ending::retried).toList());
        });
  }

  @Test
  void aRetryMayComplete() throws Exception {
    watched(
        () -> {
          RecordingListener listener = new RecordingListener();
          String script = "test $TANDEM_ATTEMPT = 2 && echo '{\"accuracy\":1}'";
          Outcome outcome =
              run(task(4, script(4, script), Limits.DEFAULT, RetryPolicy.DEFAULT), listener);
          assertEquals(new Outcome.Completed(1), outcome);
          assertEquals(2, listener.started.size());
        });
  }

  @Test
  void noMetricIsAFailure() throws Exception {
    watched(
        () -> {
          Outcome outcome =
              run(
                  task(5, script(5, "echo done"), Limits.DEFAULT, RetryPolicy.NONE),
                  new RecordingListener());
          Outcome.Failed failed = assertInstanceOf(Outcome.Failed.class, outcome);
          assertEquals("printed no metric 'accuracy'; last lines: done", failed.reason());
        });
  }

  @Test
  void notANumberIsACompletion() throws Exception {
    watched(
        () ->
            assertEquals(
                new Outcome.Completed(Double.NaN),
                run(
                    task(
                        6,
                        script(6, "echo '{\"accuracy\":\"NaN\"}'"),
                        Limits.DEFAULT,
                        RetryPolicy.NONE),
                    new RecordingListener())));
  }

  @Test
  void aCommandThatHangsTimesOutWithItsChildren() throws Exception {
    watched(
        () -> {
          Limits limits =
              Limits.DEFAULT.withTime(Duration.ofMillis(500)).withGrace(Duration.ofMillis(200));
          Path pid = folder.resolve("child.pid");
          String script = "trap '' TERM; sleep 1000 & echo $! > '" + pid + "'; wait; wait";
          Outcome outcome =
              run(task(7, script(7, script), limits, RetryPolicy.DEFAULT), new RecordingListener());
          assertInstanceOf(Outcome.TimedOut.class, outcome);
          awaitEnd(Long.parseLong(Files.readString(pid).strip()));
        });
  }

  @Test
  void cancellingEndsWhatRunsAndWhatWaits() throws Exception {
    watched(
        () -> {
          try (TaskEngine engine = engine()) {
            RecordingListener listener = new RecordingListener();
            String script = "echo '{\"step\":1,\"accuracy\":0}'; sleep 1000";
            TaskHandle first =
                engine.submit(
                    task(8, script(8, script), Limits.DEFAULT, RetryPolicy.DEFAULT), listener);
            List<TaskHandle> more = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
              more.add(
                  engine.submit(
                      task(20 + i, script(20 + i, "sleep 1000"), Limits.DEFAULT, RetryPolicy.NONE),
                      new RecordingListener()));
            }
            listener.reported.await();
            more.forEach(TaskHandle::cancel);
            first.cancel();
            assertInstanceOf(Outcome.Cancelled.class, first.outcome().join());
            for (TaskHandle handle : more) {
              assertInstanceOf(Outcome.Cancelled.class, handle.outcome().join());
            }
          }
        });
  }

  @Test
  void closingEndsEverything() throws Exception {
    watched(
        () -> {
          TaskHandle handle;
          try (TaskEngine engine = engine()) {
            RecordingListener listener = new RecordingListener();
            handle =
                engine.submit(
                    task(
                        9,
                        script(9, "echo '{\"step\":1,\"accuracy\":0}'; sleep 1000"),
                        Limits.DEFAULT,
                        RetryPolicy.DEFAULT),
                    listener);
            listener.reported.await();
          }
          assertTrue(handle.outcome().isDone());
        });
  }

  @Test
  void whatNeverFitsIsRefused() throws Exception {
    watched(
        () -> {
          try (TaskEngine engine = engine()) {
            Task impossible =
                new Task(
                    new TaskId("contract", 10),
                    script(10, "true"),
                    new Needs(1, 100_000, 0, 0),
                    Limits.DEFAULT,
                    RetryPolicy.NONE);
            assertThrows(
                UsageException.class, () -> engine.submit(impossible, new RecordingListener()));
          }
        });
  }

  @Test
  void theFirstAlternativeThatFitsIsTaken() throws Exception {
    watched(
        () -> {
          Task task =
              new Task(
                  new TaskId("contract", 11),
                  List.of(
                      new Task.Alternative(
                          script(11, "echo '{\"accuracy\":1}'"), new Needs(1, 100_000, 0, 0)),
                      new Task.Alternative(script(11, "echo '{\"accuracy\":2}'"), Needs.ONE_CORE)),
                  Limits.DEFAULT,
                  RetryPolicy.NONE,
                  List.of(),
                  1);
          assertEquals(new Outcome.Completed(2), run(task, new RecordingListener()));
        });
  }

  @Test
  void manyTasksAllEnd() throws Exception {
    watched(
        () -> {
          try (TaskEngine engine = engine()) {
            List<TaskHandle> handles = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
              handles.add(
                  engine.submit(
                      task(
                          100 + i,
                          script(100 + i, "echo '{\"accuracy\":'$TANDEM_TRIAL'}'"),
                          Limits.DEFAULT,
                          RetryPolicy.NONE),
                      new RecordingListener()));
            }
            for (int i = 0; i < 12; i++) {
              assertEquals(new Outcome.Completed(100 + i), handles.get(i).outcome().join());
            }
          }
        });
  }

  @Test
  void inputsAreThereOnceOnEachNode() throws Exception {
    watched(
        () -> {
          Path file = Files.writeString(folder.resolve("table.csv"), "a,b\n");
          List<Input> inputs =
              List.of(Input.file("table.csv", file), Input.bytes("words", new byte[] {'x', '\n'}));
          String script =
              "test \"$(cat inputs/table.csv inputs/words)\" = 'a,b\nx' &&"
                  + " printf '{\"accuracy\":%s}' $(stat -L -c %i inputs/table.csv)";
          try (TaskEngine engine = engine()) {
            List<RecordingListener> listeners = new ArrayList<>();
            List<TaskHandle> handles = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
              RecordingListener listener = new RecordingListener();
              listeners.add(listener);
              Task task =
                  new Task(
                      new TaskId("contract", 40 + i),
                      List.of(new Task.Alternative(script(40 + i, script), Needs.ONE_CORE)),
                      Limits.DEFAULT,
                      RetryPolicy.NONE,
                      inputs,
                      1);
              handles.add(engine.submit(task, listener));
            }
            Map<String, Outcome> files = new HashMap<>();
            for (int i = 0; i < 4; i++) {
              Outcome outcome = handles.get(i).outcome().join();
              assertInstanceOf(Outcome.Completed.class, outcome);
              String node = listeners.get(i).started.getFirst().node();
              assertEquals(files.computeIfAbsent(node, any -> outcome), outcome);
            }
            // What a study began with is kept, whatever becomes of the file.
            Files.delete(file);
            Task late =
                new Task(
                    new TaskId("contract", 50),
                    List.of(new Task.Alternative(script(50, script), Needs.ONE_CORE)),
                    Limits.DEFAULT,
                    RetryPolicy.NONE,
                    inputs,
                    1);
            assertInstanceOf(
                Outcome.Completed.class,
                engine.submit(late, new RecordingListener()).outcome().join());
          }
        });
  }

  @Test
  void eightBusyProgramsInATrialOfOneCoreUseOneCore() throws Exception {
    String script =
        """
        read -r began rest < /proc/uptime
        for i in 1 2 3 4 5 6 7 8; do
          while :; do :; done & busy="$busy $!"
        done
        sleep 1
        kill $busy
        wait
        read -r ended rest < /proc/uptime
        times > times
        tail -n 1 times |
          awk -F '[ms ]+' -v seconds="$(awk "BEGIN {print $ended - $began}")" \
            '{printf "{\\"accuracy\\": %.4f}", (60 * ($1 + $3) + $2 + $4) / seconds}'
        """;
    watched(
        () -> {
          Outcome outcome =
              run(
                  task(60, script(60, script), Limits.DEFAULT, RetryPolicy.NONE),
                  new RecordingListener());
          Outcome.Completed cores = assertInstanceOf(Outcome.Completed.class, outcome);
          assertTrue(cores.value() <= 1.05, cores.value() + " cores");
          assertTrue(cores.value() > 0, "nothing was busy");
        });
  }

  @Test
  void answersComeByStandardInput() throws Exception {
    watched(
        () -> {
          Work work =
              new Work.CommandWork(
                  List.of(
                      "sh",
                      "-c",
                      "echo '{\"step\":1,\"accuracy\":0.1}'; read one;"
                          + " echo '{\"step\":2,\"accuracy\":0.2}'; read two;"
                          + " echo \"$one$two\" >&2; exit 0"),
                  Map.of(),
                  new Work.Protocol(
                      Work.Protocol.Metrics.JSON, Optional.empty(), Work.Protocol.Answers.STDIN),
                  call(12));
          RecordingListener listener = new RecordingListener(2);
          assertEquals(
              new Outcome.Stopped("enough"),
              run(task(12, work, Limits.DEFAULT, RetryPolicy.NONE), listener));
          assertFalse(listener.endings.getFirst().retried());
        });
  }

  private static void awaitEnd(long process) throws IOException {
    Optional<ProcessHandle> handle = ProcessHandle.of(process);
    if (handle.isPresent()) {
      handle.get().onExit().join();
    }
  }
}
