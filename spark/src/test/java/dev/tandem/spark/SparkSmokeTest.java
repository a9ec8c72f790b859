package dev.tandem.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.testkit.Watchdog;
import dev.tandem.tune.remote.SparkOptions;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.task.Call;
import dev.tandem.tune.task.Limits;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.RecordingListener;
import dev.tandem.tune.task.RetryPolicy;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskId;
import dev.tandem.tune.task.Work;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One command on the cluster that is started where no master is named. */
class SparkSmokeTest {

  @TempDir Path folder;

  @Test
  void aCommandRunsOnTheClusterOfThisMachine() throws Exception {
    assertTrue(
        Watchdog.within(
            Duration.ofMinutes(3),
            () -> {
              try (SparkEngine engine =
                  SparkEngine.open(SparkOptions.DEFAULT, SparkCluster.classes(), "", nodes -> {})) {
                assertEquals(1, engine.nodes().size());
                RecordingListener listener = new RecordingListener();
                Outcome outcome = engine.submit(task(Needs.ONE_CORE), listener).outcome().join();
                assertEquals(new Outcome.Completed(0.5), outcome);
                assertEquals(List.of(1L), listener.steps);
                assertThrows(
                    UsageException.class,
                    () -> engine.submit(task(new Needs(1, 100_000, 0, 0)), listener));
              }
              return true;
            }));
  }

  private Task task(Needs needs) {
    Call call = new Call(Parameters.of(Map.of()), "accuracy", new Seed(1), 0, "", folder);
    Work work =
        new Work.CommandWork(
            List.of("sh", "-c", "echo '{\"step\":1,\"accuracy\":0.5}'"),
            Map.of(),
            Work.Protocol.DEFAULT,
            call);
    return new Task(new TaskId("smoke", 0), work, needs, Limits.DEFAULT, RetryPolicy.NONE);
  }
}
