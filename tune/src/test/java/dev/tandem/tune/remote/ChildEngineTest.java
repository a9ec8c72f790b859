package dev.tandem.tune.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.testkit.Watchdog;
import dev.tandem.tune.task.Limits;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.RecordingListener;
import dev.tandem.tune.task.RetryPolicy;
import dev.tandem.tune.task.SharedEngine;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.TaskEngineContract;
import dev.tandem.tune.task.TaskHandle;
import dev.tandem.tune.task.Work;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What every engine does, with the engine of this machine in a child process. */
class ChildEngineTest extends TaskEngineContract {

  private static ChildEngine shared;

  @BeforeAll
  static void start() {
    shared = child();
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  private static ChildEngine child() {
    return ChildEngine.start("the child", LocalEngineProgram.process(), text -> {});
  }

  @Override
  protected TaskEngine engine() {
    return new SharedEngine(shared);
  }

  @Test
  void whatRunsInAChildThatIsKilledIsLost() throws Exception {
    assertTrue(
        Watchdog.within(
            Duration.ofSeconds(60),
            () -> {
              try (ChildEngine engine = child()) {
                RecordingListener listener = new RecordingListener();
                Path process = folder.resolve("process");
                String script =
                    "echo $$ > '%s'; echo '{\"step\":1,\"accuracy\":0}'; sleep 1000"
                        .formatted(process);
                TaskHandle handle =
                    engine.submit(
                        task(1, script(1, script), Limits.DEFAULT, RetryPolicy.DEFAULT), listener);
                listener.reported.await();
                assertTrue(
                    ProcessHandle.of(engine.process())
                        .map(ProcessHandle::destroyForcibly)
                        .orElse(false));
                Outcome.Lost lost = assertInstanceOf(Outcome.Lost.class, handle.outcome().join());
                assertTrue(lost.reason().contains("137"), lost.reason());
                assertEquals(1, listener.endings.size());
                assertFalse(listener.endings.getFirst().retried());
                long number = Long.parseLong(Files.readString(process).strip());
                ProcessHandle.of(number).ifPresent(each -> each.onExit().join());
                assertThrows(
                    WorkFailedException.class,
                    () ->
                        engine.submit(
                            task(2, script(2, "true"), Limits.DEFAULT, RetryPolicy.NONE),
                            new RecordingListener()));
              }
              return true;
            }));
  }

  @Test
  void javaCodeWithoutANameIsRefused() {
    Work lambda = new Work.JavaWork(context -> 1, call(3));
    assertThrows(
        UsageException.class,
        () ->
            shared.submit(
                task(3, lambda, Limits.DEFAULT, RetryPolicy.NONE), new RecordingListener()));
  }

  @Test
  void aSettingThatSparkDoesNotGetFromUsIsRefused() {
    UsageException refused =
        assertThrows(
            UsageException.class,
            () ->
                new SparkOptions(
                    "", "", "127.0.0.1", 1, 0, "512m", 1, Map.of("spark.authenticate", "false")));
    assertTrue(refused.getMessage().contains("spark.authenticate"), refused.getMessage());
  }
}
