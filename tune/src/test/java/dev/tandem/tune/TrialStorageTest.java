package dev.tandem.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.testkit.Watchdog;
import dev.tandem.tune.StudySettings.Order;
import dev.tandem.tune.journal.Journal;
import dev.tandem.tune.local.InlineEngine;
import dev.tandem.tune.prune.Pruner;
import dev.tandem.tune.sample.RandomSampler;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.task.Limits;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Objective;
import dev.tandem.tune.task.RetryPolicy;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.Work;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.TrialState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrialStorageTest {

  private static final StudySettings SETTINGS =
      new StudySettings(
          "study",
          new Space(List.of(new Parameter("x", new RealDomain(0, 1, 0, false)))),
          Direction.MINIMIZE,
          "value",
          new Seed(1),
          JsonNodeFactory.instance.textNode("random"),
          JsonNodeFactory.instance.textNode("none"),
          Order.FIXED,
          1);

  @TempDir Path folder;

  private static StudyEnd run(TrialStorage storage, Objective objective, Consumer<String> notes)
      throws InterruptedException {
    TrialPlan plan =
        new TrialPlan(
            2,
            1,
            Limits.DEFAULT,
            RetryPolicy.NONE,
            StopRules.NONE,
            0,
            List.of(),
            List.of(),
            storage);
    try (InlineEngine engine = new InlineEngine()) {
      return new StudyLoop(
              SETTINGS,
              plan,
              new RandomSampler(),
              Pruner.NONE,
              call ->
                  List.of(
                      new Task.Alternative(
                          new Work.JavaWork(objective, call), new Needs(1, 0, 0, 0))),
              Journal.none(),
              new StudyState(Direction.MINIMIZE, "value"),
              engine,
              new StudyWatcher() {
                @Override
                public void changed(StudyState state, int running, Map<Long, String> waiting) {}

                @Override
                public void note(String line) {
                  notes.accept(line);
                }
              })
          .run();
    }
  }

  private static List<String> names(Path place) throws IOException {
    try (Stream<Path> files = Files.list(place)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void theLastAndTheBestCheckpointsOfATrialAreKept() throws Exception {
    double[] values = {5, 1, 4, Double.NaN, 0.5, 3, 2};
    Objective objective =
        context -> {
          for (int step = 1; step <= values.length; step++) {
            Path checkpoint = context.checkpointFolder().resolve(Integer.toString(step));
            Files.writeString(Files.createDirectory(checkpoint).resolve("state"), "x");
            context.report(step, values[step - 1]);
            context.checkpoint(step, checkpoint);
          }
          return 2;
        };
    List<String> notes = new ArrayList<>();
    run(new TrialStorage(folder, 1, 2, 0), objective, notes::add);
    assertEquals(List.of(), notes);
    for (String trial : List.of("0000", "0001")) {
      Path kept = folder.resolve(trial).resolve("attempt-1/checkpoint");
      assertEquals(List.of("2", "5", "7"), names(kept));
    }
    Path all = folder.resolve("all");
    run(TrialStorage.in(all), objective, notes::add);
    assertEquals(values.length, names(all.resolve("0001/attempt-1/checkpoint")).size());
  }

  @Test
  void aCheckpointThatIsWrittenAgainAndAgainIsNotRemoved() throws Exception {
    Objective objective =
        context -> {
          Path checkpoint = context.checkpointFolder().resolve("latest");
          for (int step = 1; step <= 4; step++) {
            Files.writeString(checkpoint, "x");
            context.report(step, step);
            context.checkpoint(step, checkpoint);
          }
          return 2;
        };
    run(new TrialStorage(folder, 1, 0, 0), objective, note -> {});
    assertEquals(List.of("latest"), names(folder.resolve("0000/attempt-1/checkpoint")));
  }

  @Test
  void aStudyWaitsForRoomAndGoesOnWhenThereIsSome() throws Exception {
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
      Path large = Files.write(disk.resolve("large"), new byte[6 << 20]);
      Path trials = disk.resolve("trials");
      List<String> notes = new ArrayList<>();
      StudyEnd end =
          Watchdog.within(
              Duration.ofSeconds(60),
              () ->
                  run(
                      new TrialStorage(trials, 0, 0, 4 << 20),
                      context -> 1,
                      note -> {
                        notes.add(note);
                        removeIfThere(large);
                      }));
      assertEquals(2, end.state().count(TrialState.COMPLETE));
      assertEquals(2, notes.size());
      assertEquals(
          "no trial starts until there is room in %s: 2.0 MiB are free, free-space is 4.0 MiB"
              .formatted(trials),
          notes.getFirst());
      assertEquals("there is room for trials again", notes.getLast());
    } finally {
      new ProcessBuilder("umount", "-l", disk.toString()).start().waitFor();
    }
  }

  private static void removeIfThere(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void keepingTheBestWithoutTheLastIsRefused() {
    String message =
        assertThrows(UsageException.class, () -> new TrialStorage(folder, 0, 3, 0)).getMessage();
    assertTrue(message.contains("keep.best is 3"), message);
  }
}
