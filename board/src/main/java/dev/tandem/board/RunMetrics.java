package dev.tandem.board;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the metrics of a run say, in memory: numbers of steps in columns, and of other events those
 * that a report shows. Keys that are missing, as in older runs, are not a number. One thread.
 */
final class RunMetrics {

  /** The name of the file in the folder of a run. */
  static final String METRICS = "metrics.jsonl";

  /** Numbers of a step that are kept, as the file calls them. */
  private static final List<String> STEP_KEYS =
      List.of(
          "t",
          "step",
          "images",
          "loss",
          "learningRate",
          "gradientNorm",
          "batch",
          "accuracy",
          "ms",
          "read",
          "forward",
          "backward",
          "sync",
          "update",
          "save");

  private final Map<String, DoubleColumn> columns = new HashMap<>();
  private final List<JsonNode> validations = new ArrayList<>();
  private final Map<String, JsonNode> last = new HashMap<>();
  private final List<JsonNode> happened = new ArrayList<>();
  private double firstTime = Double.NaN;
  private double lastTime = Double.NaN;

  private RunMetrics() {
    STEP_KEYS.forEach(key -> columns.put(key, new DoubleColumn()));
  }

  static RunMetrics read(Path run) {
    RunMetrics metrics = new RunMetrics();
    Path file = run.resolve(METRICS);
    if (Files.exists(file)) {
      MetricsFile.forEach(file, metrics::add);
    }
    return metrics;
  }

  private void add(JsonNode event) {
    String kind = event.path("event").asText();
    double time = number(event, "t");
    if (!Double.isNaN(time)) {
      firstTime = Double.isNaN(firstTime) ? time : firstTime;
      lastTime = time;
    }
    switch (kind) {
      case "step" -> STEP_KEYS.forEach(key -> columns.get(key).add(number(event, key)));
      case "epoch" -> validations.add(event);
      case "generation", "note", "rewind" -> happened.add(event);
      case "checkpoint" -> {
        if (event.path("state").asText().equals("failed")) {
          happened.add(event);
        }
      }
      default -> {}
    }
    last.put(kind, event);
  }

  /** A number of an event; not a number if it has none, or text instead. */
  static double number(JsonNode event, String key) {
    JsonNode value = event.path(key);
    return value.isNumber() ? value.doubleValue() : Double.NaN;
  }

  /** A column of all steps. */
  DoubleColumn column(String key) {
    return columns.get(key);
  }

  int steps() {
    return columns.get("step").size();
  }

  List<JsonNode> validations() {
    return validations;
  }

  /** The last event of a kind. */
  Optional<JsonNode> last(String kind) {
    return Optional.ofNullable(last.get(kind));
  }

  /** Restarts, notes and failed checkpoints, in their order. */
  List<JsonNode> happened() {
    return happened;
  }

  /** When the first event was written, in milliseconds; not a number in runs without times. */
  double firstTime() {
    return firstTime;
  }

  double lastTime() {
    return lastTime;
  }
}
