package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.ImageFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainingConfigTest {

  @TempDir Path run;

  static TrainingConfig config(int epochs, int globalBatch, long seed) {
    return new TrainingConfig(
        "data/train",
        "data/test",
        new ImageFormat(1, 28, 28, 10, 0.158, 0.211),
        epochs,
        globalBatch,
        0.05,
        10,
        0.9,
        5e-4,
        1,
        seed,
        1);
  }

  @Test
  void whatIsSavedIsLoaded() {
    TrainingConfig config = config(3, 64, Long.MIN_VALUE);
    config.save(run);
    assertEquals(config, TrainingConfig.load(run));
  }

  @Test
  void mistakesAreNamed() throws Exception {
    assertThrows(WorkFailedException.class, () -> TrainingConfig.load(run));
    assertEquals(
        "configuration: epochs cannot be 0",
        assertThrows(UsageException.class, () -> config(0, 64, 1)).getMessage());
    config(3, 64, 1).save(run);
    Path file = run.resolve("config.yaml");
    Files.writeString(file, Files.readString(file) + "lerning_rate: 3\n");
    var e = assertThrows(UsageException.class, () -> TrainingConfig.load(run));
    assertTrue(e.getMessage().contains("lerning_rate"), e.getMessage());
  }

  @Test
  void eventsTravelAsLines() {
    TrainingEvent step = new TrainingEvent.Step(7, 896, 20_000, 0.125);
    assertEquals(Optional.of(step), TrainingEvent.ofLine(TrainingEvent.LINE_PREFIX + step.json()));
    assertEquals(Optional.empty(), TrainingEvent.ofLine("a line that a library printed"));
    assertEquals(Optional.empty(), TrainingEvent.ofLine(TrainingEvent.LINE_PREFIX + "{broken"));
  }
}
