package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class TrainingEventTest {

  @Test
  void eventsTravelAsLines() {
    TrainingEvent step = new TrainingEvent.Step(7, 896, 20_000, 0.125, 0.01, 3.5, 128);
    assertEquals(Optional.of(step), TrainingEvent.ofLine(TrainingEvent.LINE_PREFIX + step.json()));
    assertEquals(Optional.empty(), TrainingEvent.ofLine("a line that a library printed"));
    assertEquals(Optional.empty(), TrainingEvent.ofLine(TrainingEvent.LINE_PREFIX + "{broken"));
  }
}
