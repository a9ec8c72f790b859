package dev.tandem.board;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A run in one line. Numbers that are not known are null: they stay out of JSON.
 *
 * @param path its folder
 * @param version of the run folder: 1 without {@code run.json}
 * @param state as {@link RunInfo#state} has it
 * @param seconds from its beginning to its end, or to the last event
 * @param totalSteps 0 if it is not known
 * @param loss of the last step
 * @param accuracy of the last validation, 0 to 1
 * @param bestAccuracy of the best one, at the end of a run
 * @param imagesPerSecond over the whole run at its end, of the last step before
 */
public record RunSummary(
    String name,
    String path,
    int version,
    String state,
    String began,
    double seconds,
    int ranks,
    long step,
    long totalSteps,
    Double loss,
    Double accuracy,
    Double testLoss,
    Double bestAccuracy,
    Double imagesPerSecond,
    String tandem,
    String commit,
    String error) {

  /** The line of a run, from its {@code run.json} and the end of its metrics. */
  public static RunSummary of(RunInfo run) {
    Optional<JsonNode> step = run.tail("step");
    Optional<JsonNode> validation = run.tail("epoch");
    Optional<JsonNode> result = run.tail("result");
    Instant began = run.began();
    Duration lasted = Duration.between(began, run.ended());
    return new RunSummary(
        run.name(),
        run.path().toString(),
        run.version(),
        run.state(),
        began.toString(),
        Math.max(0, lasted.toMillis() / 1e3),
        run.ranks(),
        step.map(each -> each.path("step").asLong()).orElse(0L),
        run.totalSteps(),
        number(step, "loss"),
        number(validation, "testAccuracy"),
        number(validation, "testLoss"),
        number(result, "bestAccuracy"),
        result.isPresent() ? number(result, "imagesPerSecond") : rate(step),
        run.text("tandem"),
        run.text("commit"),
        run.text("error"));
  }

  private static Double number(Optional<JsonNode> event, String key) {
    OptionalDouble number =
        event.stream()
            .mapToDouble(each -> RunMetrics.number(each, key))
            .filter(Double::isFinite)
            .findFirst();
    return number.isPresent() ? (Double) number.getAsDouble() : null;
  }

  private static Double rate(Optional<JsonNode> step) {
    Double batch = number(step, "batch");
    Double millis = number(step, "ms");
    return batch == null || millis == null || millis <= 0 ? null : (Double) (1e3 * batch / millis);
  }
}
