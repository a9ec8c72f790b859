package dev.tandem.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.testkit.Watchdog;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.task.Attempt;
import dev.tandem.tune.task.Call;
import dev.tandem.tune.task.Ending;
import dev.tandem.tune.task.Limits;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.RecordingListener;
import dev.tandem.tune.task.RetryPolicy;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskHandle;
import dev.tandem.tune.task.TaskId;
import dev.tandem.tune.task.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of tasks when executors are killed, and where tasks are tried again. */
@Tag("slow")
class SparkFaultsTest {

  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Needs WHOLE_NODE = new Needs(1, 2, 0, 0);

  private static SparkCluster cluster;
  private static SparkEngine engine;

  @TempDir Path folder;

  @BeforeAll
  static void start(@TempDir Path work) throws Exception {
    cluster = SparkCluster.start(work, 2, 2);
    engine = cluster.engine(2);
  }

  @AfterAll
  static void stop() {
    try {
      if (engine != null) {
        engine.close();
      }
    } finally {
      if (cluster != null) {
        cluster.close();
      }
    }
  }

  private Task task(long number, String script, Needs needs, RetryPolicy retries) {
    Call call =
        new Call(
            Parameters.of(Map.of("x", 1)),
            "accuracy",
            new Seed(number),
            0,
            "",
            folder.resolve("trials").resolve(Long.toString(number)));
    Work work =
        new Work.CommandWork(List.of("sh", "-c", script), Map.of(), Work.Protocol.DEFAULT, call);
    return new Task(new TaskId("faults", number), work, needs, Limits.DEFAULT, retries);
  }

  private static void within(Callable<Boolean> action) throws Exception {
    assertTrue(Watchdog.within(PATIENCE, action));
  }

  private static void kill(String host) throws Exception {
    List<ProcessHandle> executors = SparkCluster.executors(host);
    assertFalse(executors.isEmpty(), "no executor on " + host);
    for (ProcessHandle each : executors) {
      assertTrue(each.destroyForcibly());
    }
  }

  private static List<String> nodes(RecordingListener listener) {
    return listener.started.stream().map(Attempt::node).toList();
  }

  @Test
  void aKilledExecutorLosesNothingThatHasEnded() throws Exception {
    within(
        () -> {
          RecordingListener before = new RecordingListener();
          Outcome first =
              engine
                  .submit(task(1, "echo '{\"accuracy\":1}'", WHOLE_NODE, RetryPolicy.NONE), before)
                  .outcome()
                  .join();
          assertEquals(new Outcome.Completed(1), first);

          Path process = folder.resolve("process");
          RecordingListener killed = new RecordingListener();
          TaskHandle handle =
              engine.submit(
                  task(
                      2,
                      "if [ $TANDEM_ATTEMPT = 1 ]; then echo $$ > '%s'; echo '{\"step\":1,\"accuracy\":0}'; sleep 1000; fi; echo '{\"accuracy\":2}'"
                          .formatted(process),
                      WHOLE_NODE,
                      RetryPolicy.NONE),
                  killed);
          killed.reported.await();
          RecordingListener bystander = new RecordingListener();
          TaskHandle other =
              engine.submit(
                  task(
                      3,
                      "echo '{\"step\":1,\"accuracy\":0}'; while ! test -e '%s'; do sleep 0.1; done; echo '{\"accuracy\":3}'"
                          .formatted(folder.resolve("go")),
                      new Needs(1, 1, 0, 0),
                      RetryPolicy.NONE),
                  bystander);
          bystander.reported.await();
          kill(nodes(killed).getFirst());
          Files.createFile(folder.resolve("go"));

          assertEquals(new Outcome.Completed(2), handle.outcome().join());
          assertEquals(new Outcome.Completed(3), other.outcome().join());
          assertEquals(2, killed.started.size());
          assertNotEquals(nodes(killed).get(0), nodes(killed).get(1));
          Ending lost = killed.endings.getFirst();
          assertTrue(lost.retried());
          Outcome.Lost how = assertInstanceOf(Outcome.Lost.class, lost.outcome());
          assertEquals(nodes(killed).getFirst(), how.node());
          assertTrue(how.reason().contains("137"), how.reason());
          assertEquals(1, bystander.started.size());
          assertEquals(1, before.endings.size());
          awaitEnd(process);
          return true;
        });
  }

  @Test
  void failuresAreTriedOnTheSameNodeThenOnTheOther() throws Exception {
    within(
        () -> {
          for (int i = 0; i < 5; i++) {
            RecordingListener listener = new RecordingListener();
            Outcome outcome =
                engine
                    .submit(
                        task(10 + i, "exit 9", WHOLE_NODE, new RetryPolicy(1, 1, false)), listener)
                    .outcome()
                    .join();
            assertInstanceOf(Outcome.Failed.class, outcome);
            List<String> nodes = nodes(listener);
            assertEquals(3, nodes.size());
            assertEquals(nodes.get(0), nodes.get(1));
            assertNotEquals(nodes.get(1), nodes.get(2));
            assertEquals(
                List.of(true, true, false),
                listener.endings.stream().map(Ending::retried).toList());
          }
          return true;
        });
  }

  @Test
  void aGangStartsAgainAfterOneOfItsExecutorsWasKilled() throws Exception {
    within(
        () -> {
          RecordingListener listener = new RecordingListener();
          String script =
              "if [ $TANDEM_ATTEMPT = 1 ]; then echo '{\"step\":1,\"accuracy\":0}'; sleep 1000; fi; exec %s"
                  .formatted(GangProgram.command());
          TaskHandle handle =
              engine.submit(task(20, script, new Needs(2, 2, 0, 0), RetryPolicy.NONE), listener);
          listener.reported.await();
          String first = nodes(listener).getFirst();
          kill(first.equals(SparkCluster.host(0)) ? SparkCluster.host(1) : SparkCluster.host(0));
          // The ranks add their numbers: 0 + 1, plus one each.
          assertEquals(new Outcome.Completed(3), handle.outcome().join());
          assertEquals(2, listener.started.size());
          assertInstanceOf(Outcome.Lost.class, listener.endings.getFirst().outcome());
          return true;
        });
  }

  @Test
  void whatNoNodeHasIsRefusedAtOnce() {
    UsageException refused =
        assertThrows(
            UsageException.class,
            () ->
                engine.submit(
                    task(30, "true", new Needs(1, 3, 0, 0), RetryPolicy.NONE),
                    new RecordingListener()));
    assertTrue(refused.getMessage().contains("3 cores"), refused.getMessage());
    assertThrows(
        UsageException.class,
        () ->
            engine.submit(
                task(31, "true", new Needs(3, 2, 0, 0), RetryPolicy.NONE),
                new RecordingListener()));
  }

  private static void awaitEnd(Path file) throws IOException {
    long process = Long.parseLong(Files.readString(file).strip());
    ProcessHandle.of(process).ifPresent(each -> each.onExit().join());
  }
}
