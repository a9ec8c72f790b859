package dev.tandem.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.testkit.Watchdog;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.task.Call;
import dev.tandem.tune.task.Input;
import dev.tandem.tune.task.Limits;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.RecordingListener;
import dev.tandem.tune.task.RetryPolicy;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskHandle;
import dev.tandem.tune.task.TaskId;
import dev.tandem.tune.task.Work;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Gangs that do more than add numbers, on two Workers. */
@Tag("slow")
class SparkGangTest {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** A rank on each of the two nodes. */
  private static final Needs TWO_NODES = new Needs(2, 2, 0, 0);

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

  private Call call(long number, Map<String, ?> parameters) {
    Path trials = folder.resolve("study/trials");
    return new Call(
        Parameters.of(parameters),
        "accuracy",
        new Seed(number),
        0,
        "",
        trials.resolve(Long.toString(number)));
  }

  private static Task task(long number, Work work, List<Input> inputs) {
    return new Task(
        new TaskId("gangs", number),
        List.of(new Task.Alternative(work, TWO_NODES)),
        Limits.DEFAULT,
        RetryPolicy.NONE,
        inputs,
        1);
  }

  @Test
  void ranksHaveInputsAndLogsOfTheirOwn() throws Exception {
    byte[] bytes = "from the input\n".getBytes(StandardCharsets.UTF_8);
    String script = "cat inputs/words; exec %s".formatted(GangProgram.command());
    Work work =
        new Work.CommandWork(
            List.of("sh", "-c", script), Map.of(), Work.Protocol.DEFAULT, call(1, Map.of()));
    Outcome outcome =
        Watchdog.within(
            PATIENCE,
            () ->
                engine
                    .submit(
                        task(1, work, List.of(Input.bytes("words", bytes))),
                        new RecordingListener())
                    .outcome()
                    .join());
    assertEquals(new Outcome.Completed(3), outcome);
    Path attempt = folder.resolve("study/trials/1/attempt-1");
    assertTrue(Files.readString(attempt.resolve("stdout.log")).startsWith("from the input\n{"));
    assertEquals("from the input\n", Files.readString(attempt.resolve("stdout-rank-1.log")));
  }

  @Test
  void aTrainingGoesOnAsAGangAfterAnExecutorWasKilled() throws Exception {
    GlyphDatabase.write(folder.resolve("train"), new Seed(1), 512, Progress.SILENT);
    GlyphDatabase.write(folder.resolve("test"), new Seed(2), 128, Progress.SILENT);
    Path configuration =
        Files.writeString(
            folder.resolve("digits.yaml"),
            """
            network: {model: digits}
            data: {train: train, test: test}
            batch: {global: 32}
            epochs: 3
            """);
    List<String> program =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "--add-modules=jdk.incubator.vector",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            SparkCluster.classes(),
            "the class that a rank replaces");
    Work work =
        new Work.TrainWork(
            program, configuration, folder, "", call(2, Map.of("schedule.rate", 0.02)));
    RecordingListener listener = new RecordingListener();
    Outcome outcome =
        Watchdog.within(
            PATIENCE,
            () -> {
              TaskHandle handle = engine.submit(task(2, work, List.of()), listener);
              listener.reported.await();
              String first = listener.started.getFirst().node();
              String other = SparkCluster.host(first.equals(SparkCluster.host(0)) ? 1 : 0);
              for (ProcessHandle each : SparkCluster.executors(other)) {
                assertTrue(each.destroyForcibly());
              }
              return handle.outcome().join();
            });
    Outcome.Completed completed = assertInstanceOf(Outcome.Completed.class, outcome);
    assertTrue(completed.value() > 0 && completed.value() <= 1, completed.toString());
    assertEquals(2, listener.started.size());
    assertInstanceOf(Outcome.Lost.class, listener.endings.getFirst().outcome());
    assertNotEquals(List.of(), listener.steps);
    Path run = folder.resolve("study/trials/2/attempt-2/run");
    String config = Files.readString(run.resolve("config.yaml"));
    assertTrue(config.contains("0.02"), config);
  }
}
