package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.board.MetricsFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a run's {@code metrics.jsonl} says. */
final class RunMetrics {

  private RunMetrics() {}

  /** The losses of all steps: each is there once, in order, whatever happened to the run. */
  static List<Double> losses(Path run) {
    List<Double> losses = new ArrayList<>();
    MetricsFile.forEach(
        run.resolve("metrics.jsonl"),
        event -> {
          if (event.path("event").asText().equals("step")) {
            losses.add(event.path("loss").asDouble());
            assertEquals(losses.size(), event.path("step").asLong());
          }
        });
    return losses;
  }
}
