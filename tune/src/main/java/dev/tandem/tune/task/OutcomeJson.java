package dev.tandem.tune.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** How tasks go, as JSON and back: outcomes, attempts and their endings. */
public final class OutcomeJson {

  private OutcomeJson() {}

  /** An outcome as JSON. */
  public static ObjectNode write(Outcome outcome) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    return switch (outcome) {
      case Outcome.Completed completed ->
          tree.put("outcome", "completed").put("value", completed.value());
      case Outcome.Stopped stopped ->
          tree.put("outcome", "stopped").put("reason", stopped.reason());
      case Outcome.Paused paused -> tree.put("outcome", "paused").put("step", paused.step());
      case Outcome.Failed failed ->
          tree.put("outcome", "failed")
              .put("reason", failed.reason())
              .put("lasting", failed.lasting());
      case Outcome.TimedOut timedOut ->
          tree.put("outcome", "timed-out").put("seconds", timedOut.seconds());
      case Outcome.Lost lost ->
          tree.put("outcome", "lost").put("node", lost.node()).put("reason", lost.reason());
      case Outcome.Cancelled any -> tree.put("outcome", "cancelled");
      case Outcome.Skipped skipped -> {
        tree.put("outcome", "skipped").set("cause", TaskJson.write(skipped.cause()));
        yield tree;
      }
    };
  }

  /** An outcome out of its JSON. */
  public static Outcome read(JsonNode tree) {
    String reason = tree.path("reason").asText();
    return switch (tree.path("outcome").asText()) {
      case "completed" -> new Outcome.Completed(number(tree.path("value")));
      case "stopped" -> new Outcome.Stopped(reason);
      case "paused" -> new Outcome.Paused(tree.path("step").asLong());
      case "failed" -> new Outcome.Failed(reason, tree.path("lasting").asBoolean());
      case "timed-out" -> new Outcome.TimedOut(tree.path("seconds").asDouble());
      case "lost" -> new Outcome.Lost(tree.path("node").asText(), reason);
      case "cancelled" -> new Outcome.Cancelled();
      case "skipped" -> new Outcome.Skipped(TaskJson.readId(tree.path("cause")));
      default -> throw new IllegalArgumentException("no outcome: " + tree);
    };
  }

  /** A number that may be none: Jackson writes those as text. */
  public static double number(JsonNode node) {
    return node.isNumber()
        ? node.doubleValue()
        : node.isTextual() ? Double.parseDouble(node.textValue()) : Double.NaN;
  }

  /** An attempt as JSON. */
  public static ObjectNode write(Attempt attempt) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.set("task", TaskJson.write(attempt.task()));
    tree.put("attempt", attempt.number()).put("node", attempt.node());
    attempt.cores().forEach(tree.putArray("cores")::add);
    attempt.gpus().forEach(tree.putArray("gpus")::add);
    return tree.put("pid", attempt.process()).put("pidStart", attempt.processStart());
  }

  /** An attempt out of its JSON. */
  public static Attempt readAttempt(JsonNode tree) {
    return new Attempt(
        TaskJson.readId(tree.path("task")),
        tree.path("attempt").asInt(),
        tree.path("node").asText(),
        numbers(tree.path("cores")),
        numbers(tree.path("gpus")),
        tree.path("pid").asLong(),
        tree.path("pidStart").asLong());
  }

  private static List<Integer> numbers(JsonNode array) {
    List<Integer> numbers = new ArrayList<>();
    array.forEach(each -> numbers.add(each.asInt()));
    return numbers;
  }

  /** The ending of an attempt as JSON. */
  public static ObjectNode write(Ending ending) {
    return write(ending.outcome())
        .put("retried", ending.retried())
        .put("took", ending.seconds())
        .put("cpuSeconds", ending.processorSeconds());
  }

  /** The ending of an attempt out of its JSON. */
  public static Ending readEnding(JsonNode tree) {
    return new Ending(
        read(tree),
        tree.path("retried").asBoolean(),
        tree.path("took").asDouble(),
        number(tree.path("cpuSeconds")));
  }
}
