package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.models.DigitsNetwork;
import dev.tandem.train.config.TrainingConfig;
import dev.tandem.train.run.RunLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The door for programs, in one process; JavaExamplesTest of the cli has several. */
class TrainingTest {

  @TempDir Path folder;

  private final GlyphRecords training = GlyphRecords.draw(new Seed(1), 100);
  private final GlyphRecords test = GlyphRecords.draw(new Seed(2), 20);

  private Training training() {
    return Training.of("{batch: {global: 20}, schedule: {rate: 0.02}, epochs: 2}")
        .network(DigitsNetwork.spec())
        .data(training, test)
        .folder(folder.resolve("run"));
  }

  @Test
  void aListenerHearsEverythingAndStopsTheRunWhichCanGoOn() throws Exception {
    List<String> heard = new ArrayList<>();
    TrainingListener listener =
        new TrainingListener() {
          @Override
          public void onStep(TrainingEvent.Step step, RunControl control) {
            heard.add("step " + step.step());
            if (step.step() == 3) {
              control.stop("three are enough");
            }
          }

          @Override
          public void onValidation(TrainingEvent.Epoch validation, RunControl control) {
            heard.add("validation " + validation.step());
          }

          @Override
          public void onCheckpoint(TrainingEvent.Checkpoint checkpoint, RunControl control) {
            heard.add("checkpoint " + checkpoint.step());
          }

          @Override
          public void onEnd(TrainingResult result) {
            heard.add("end " + result.steps());
          }
        };
    TrainingResult result = training().on(listener).run();
    assertEquals(
        List.of("step 1", "step 2", "step 3", "validation 3", "checkpoint 3", "end 3"), heard);
    assertTrue(result.stopped());
    assertEquals(3, result.steps());
    assertEquals(folder.resolve("run"), result.folder());
    assertTrue(result.loss() > 0 && result.accuracy() >= 0, result.toString());
    TrainingConfig saved = TrainingConfig.load(result.folder());
    assertEquals(DigitsNetwork.spec(), saved.network());
    assertFalse(saved.data().normalisation().means().isEmpty());
    assertTrue(
        Files.readString(result.folder().resolve("metrics.jsonl"))
            .contains("\"event\":\"result\""));

    assertTrue(state(result.folder()).contains("\"done\""));

    try (RunLock _ = RunLock.take(result.folder())) {
      UsageException used = assertThrows(UsageException.class, () -> training().resume().run());
      assertTrue(used.getMessage().contains("is in use by process "), used.getMessage());
    }
    TrainingResult whole = training().resume().run();
    assertEquals(10, whole.steps());
    assertFalse(whole.stopped());
  }

  private static String state(Path run) throws IOException {
    return Files.readAllLines(run.resolve("run.json")).stream()
        .filter(line -> line.contains("\"state\""))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void mistakesAreExceptions() throws Exception {
    UsageException unknown =
        assertThrows(UsageException.class, () -> training().set("epoch=3").run());
    assertEquals(
        "--set epoch=3: unknown key 'epoch'; did you mean 'epochs'?", unknown.getMessage());
    assertThrows(UsageException.class, () -> training().resume().run(), "there is none");
    Files.createDirectory(folder.resolve("run"));
    UsageException taken = assertThrows(UsageException.class, () -> training().run());
    assertTrue(taken.getMessage().contains("exists already"), taken.getMessage());
    WorkFailedException failed =
        assertThrows(
            WorkFailedException.class,
            () ->
                training()
                    .folder(folder.resolve("other"))
                    .on(
                        new TrainingListener() {
                          @Override
                          public void onStep(TrainingEvent.Step step, RunControl control) {
                            throw new IllegalStateException("no");
                          }
                        })
                    .run());
    assertTrue(failed.getMessage().startsWith("a listener failed: "), failed.getMessage());
  }
}
