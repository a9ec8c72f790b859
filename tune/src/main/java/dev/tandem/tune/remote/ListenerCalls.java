package dev.tandem.tune.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.tune.prune.Decision;
import dev.tandem.tune.task.Attempt;
import dev.tandem.tune.task.Ending;
import dev.tandem.tune.task.OutcomeJson;
import dev.tandem.tune.task.TaskListener;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** Calls of a {@link TaskListener} as JSON, and their answers, for a listener elsewhere. */
public final class ListenerCalls {

  private static final String CALL = "call";
  private static final String ATTEMPT = "attempt";
  private static final String WAITS = "waits";
  private static final String STEP = "step";
  private static final String STOP = "stop";
  private static final String PAUSE = "pause";
  private static final String ERROR = "error";

  private ListenerCalls() {}

  /**
   * A listener whose calls go elsewhere.
   *
   * @param ask carries a call there and returns the answer
   */
  public static TaskListener sender(Function<ObjectNode, JsonNode> ask) {
    return new Sender(ask);
  }

  /**
   * Makes a call that a sender sent.
   *
   * @return the answer; what the listener throws is in it
   */
  public static ObjectNode deliver(JsonNode call, TaskListener listener) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    Attempt attempt = OutcomeJson.readAttempt(call.path(ATTEMPT));
    long step = call.path(STEP).asLong();
    try {
      switch (call.path(CALL).asText()) {
        case WAITS -> listener.waits(call.path("text").asText());
        case "started" -> listener.started(attempt);
        case "report" -> {
          switch (listener.report(attempt, step, metrics(call.path("metrics")))) {
            case Decision.GoOn any -> {}
            case Decision.Stop(String reason) -> answer.put(STOP, reason);
            case Decision.Pause(long at) -> answer.put(PAUSE, at);
          }
        }
        case "checkpoint" -> listener.checkpoint(attempt, step, call.path("path").asText());
        case "note" -> listener.note(attempt, call.path("text").asText());
        case "ended" -> listener.ended(attempt, OutcomeJson.readEnding(call.path("ending")));
        default -> throw new IllegalArgumentException("no call of a listener: " + call);
      }
    } catch (RuntimeException e) {
      answer.put(ERROR, String.valueOf(e.getMessage()));
    }
    return answer;
  }

  /** Whether a call is one that nothing waits for. */
  static boolean oneWay(JsonNode call) {
    return call.path(CALL).asText().equals(WAITS);
  }

  /** The answer that stops a task, whatever it asked. */
  static ObjectNode stop(String reason) {
    return JsonNodeFactory.instance.objectNode().put(STOP, reason);
  }

  /** The answer where nobody listens any more: nothing starts, and what runs is to stop. */
  public static ObjectNode gone(JsonNode call) {
    String reason = "nobody waits for this task any more";
    return call.path(CALL).asText().equals("started")
        ? JsonNodeFactory.instance.objectNode().put(ERROR, reason)
        : stop(reason);
  }

  private static Map<String, Double> metrics(JsonNode tree) {
    Map<String, Double> metrics = new LinkedHashMap<>();
    tree.properties().forEach(e -> metrics.put(e.getKey(), OutcomeJson.number(e.getValue())));
    return metrics;
  }

  private record Sender(Function<ObjectNode, JsonNode> ask) implements TaskListener {

    @Override
    public void waits(String what) {
      send(JsonNodeFactory.instance.objectNode().put(CALL, WAITS).put("text", what));
    }

    @Override
    public void started(Attempt attempt) {
      send(call("started", attempt));
    }

    @Override
    public Decision report(Attempt attempt, long step, Map<String, Double> metrics) {
      ObjectNode call = call("report", attempt).put(STEP, step);
      ObjectNode tree = call.putObject("metrics");
      metrics.forEach(tree::put);
      JsonNode answer = send(call);
      if (answer.has(PAUSE)) {
        return new Decision.Pause(answer.path(PAUSE).asLong());
      }
      return answer.has(STOP) ? new Decision.Stop(answer.path(STOP).asText()) : Decision.GO_ON;
    }

    @Override
    public void checkpoint(Attempt attempt, long step, String path) {
      send(call("checkpoint", attempt).put(STEP, step).put("path", path));
    }

    @Override
    public void note(Attempt attempt, String text) {
      send(call("note", attempt).put("text", text));
    }

    @Override
    public void ended(Attempt attempt, Ending ending) {
      ObjectNode call = call("ended", attempt);
      call.set("ending", OutcomeJson.write(ending));
      send(call);
    }

    private static ObjectNode call(String name, Attempt attempt) {
      ObjectNode call = JsonNodeFactory.instance.objectNode().put(CALL, name);
      call.set(ATTEMPT, OutcomeJson.write(attempt));
      return call;
    }

    private JsonNode send(ObjectNode call) {
      JsonNode answer = ask.apply(call);
      if (answer.has(ERROR)) {
        throw new IllegalStateException(answer.path(ERROR).asText());
      }
      return answer;
    }
  }
}
