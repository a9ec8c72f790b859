package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class TrainingEventTest {

  @Test
  void eventsTravelAsLines() {
    TrainingEvent step =
        new TrainingEvent.Step(
            7, 896, 20_000, 0.125, 0.1, 3.5, 128, 0.7f, 12.25f, 1, 4, 5, 2, 0.25f, 0);
    String json = step.json(1_700_000_000_123L);
    assertEquals(Optional.of(step), TrainingEvent.ofLine(TrainingEvent.LINE_PREFIX + json));
    assertEquals(
        "{\"t\":1700000000123,\"event\":\"step\",\"step\":7,\"images\":896,\"totalImages\":20000,"
            + "\"loss\":0.125,\"learningRate\":0.1,\"gradientNorm\":3.5,\"batch\":128,"
            + "\"accuracy\":0.7,\"ms\":12.25,\"read\":1.0,\"forward\":4.0,\"backward\":5.0,"
            + "\"sync\":2.0,\"update\":0.25,\"save\":0.0}",
        json);
    assertEquals(Optional.empty(), TrainingEvent.ofLine("a line that a library printed"));
    assertEquals(Optional.empty(), TrainingEvent.ofLine(TrainingEvent.LINE_PREFIX + "{broken"));
  }

  /** As version 1 wrote them. */
  @Test
  void eventsOfVersionOneAreRead() {
    TrainingEvent step =
        new TrainingEvent.Step(2, 128, 640, 1.5, 0.1, 2, 64, null, 0, 0, 0, 0, 0, 0, 0);
    assertEquals(
        Optional.of(step),
        TrainingEvent.ofJson(
            "{\"event\":\"step\",\"step\":2,\"images\":128,\"totalImages\":640,\"loss\":1.5,"
                + "\"learningRate\":0.1,\"gradientNorm\":2.0,\"batch\":64}"));
  }
}
