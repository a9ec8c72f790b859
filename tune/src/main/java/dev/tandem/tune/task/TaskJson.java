package dev.tandem.tune.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.tune.space.JsonValues;
import dev.tandem.tune.space.Parameters;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Tasks as JSON and back, for engines whose nodes are other processes. */
public final class TaskJson {

  private static final String KIND = "kind";

  private TaskJson() {}

  /**
   * A task as JSON.
   *
   * @throws UsageException if its work is Java code that has no name, such as a lambda
   */
  public static ObjectNode write(Task task) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.set("id", write(task.id()));
    ArrayNode alternatives = tree.putArray("alternatives");
    for (Task.Alternative alternative : task.alternatives()) {
      ObjectNode each = alternatives.addObject();
      each.set("work", write(alternative.work()));
      each.set("needs", write(alternative.needs()));
    }
    Limits limits = task.limits();
    tree.putObject("limits")
        .put("milliseconds", limits.time().toMillis())
        .put("graceMilliseconds", limits.grace().toMillis())
        .put("processes", limits.processes())
        .put("outputBytes", limits.outputBytes())
        .put("enforcement", limits.enforcement().name());
    tree.putObject("retries")
        .put("sameNode", task.retries().sameNode())
        .put("otherNode", task.retries().otherNode())
        .put("timeouts", task.retries().timeouts());
    ArrayNode inputs = tree.putArray("inputs");
    for (Input input : task.inputs()) {
      ObjectNode each = inputs.addObject().put("name", input.name());
      switch (input) {
        case Input.FromFile file ->
            each.put("path", file.path().toString()).put("digest", file.digest());
        case Input.FromBytes bytes -> each.put("bytes", bytes.bytes());
      }
    }
    return tree.put("firstAttempt", task.firstAttempt());
  }

  /** A task out of its JSON. */
  public static Task read(JsonNode tree) {
    List<Task.Alternative> alternatives = new ArrayList<>();
    for (JsonNode each : tree.path("alternatives")) {
      alternatives.add(
          new Task.Alternative(readWork(each.path("work")), readNeeds(each.path("needs"))));
    }
    JsonNode limits = tree.path("limits");
    JsonNode retries = tree.path("retries");
    List<Input> inputs = new ArrayList<>();
    for (JsonNode each : tree.path("inputs")) {
      String name = each.path("name").asText();
      inputs.add(
          each.has("path")
              ? new Input.FromFile(
                  name, Path.of(each.path("path").asText()), each.path("digest").asText())
              : Input.bytes(name, bytes(each.path("bytes"))));
    }
    return new Task(
        readId(tree.path("id")),
        alternatives,
        new Limits(
            Duration.ofMillis(limits.path("milliseconds").asLong()),
            Duration.ofMillis(limits.path("graceMilliseconds").asLong()),
            limits.path("processes").asInt(),
            limits.path("outputBytes").asLong(),
            Limits.Enforcement.valueOf(limits.path("enforcement").asText())),
        new RetryPolicy(
            retries.path("sameNode").asInt(),
            retries.path("otherNode").asInt(),
            retries.path("timeouts").asBoolean()),
        inputs,
        tree.path("firstAttempt").asInt());
  }

  private static byte[] bytes(JsonNode node) {
    try {
      return node.binaryValue();
    } catch (IOException e) {
      throw new IllegalArgumentException("no bytes in base64", e);
    }
  }

  static ObjectNode write(TaskId id) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("study", id.study())
        .put("number", id.number());
  }

  static TaskId readId(JsonNode tree) {
    return new TaskId(tree.path("study").asText(), tree.path("number").asLong());
  }

  static ObjectNode write(Needs needs) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("ranks", needs.ranks())
        .put("cores", needs.cores())
        .put("gpus", needs.gpus())
        .put("memoryBytes", needs.memoryBytes());
  }

  private static Needs readNeeds(JsonNode tree) {
    return new Needs(
        tree.path("ranks").asInt(),
        tree.path("cores").asInt(),
        tree.path("gpus").asInt(),
        tree.path("memoryBytes").asLong());
  }

  private static ObjectNode write(Work work) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    switch (work) {
      case Work.JavaWork java -> tree.put(KIND, "java").put("class", className(java.objective()));
      case Work.CommandWork command -> {
        tree.put(KIND, "command");
        command.command().forEach(tree.putArray("command")::add);
        ObjectNode environment = tree.putObject("environment");
        command.environment().forEach(environment::put);
        tree.put("metrics", command.protocol().metrics().name());
        command.protocol().regex().ifPresent(regex -> tree.put("regex", regex.pattern()));
        tree.put("answers", command.protocol().answers().name());
      }
      case Work.TrainWork train -> {
        tree.put(KIND, "train");
        train.program().forEach(tree.putArray("program")::add);
        tree.put("configuration", train.configuration().toString());
        tree.put("directory", train.directory().toString());
        tree.put("share", train.share());
      }
    }
    tree.set("call", write(work.call()));
    return tree;
  }

  private static Work readWork(JsonNode tree) {
    Call call = readCall(tree.path("call"));
    return switch (tree.path(KIND).asText()) {
      case "java" -> new Work.JavaWork(objective(tree.path("class").asText()), call);
      case "command" -> {
        Map<String, String> environment = new LinkedHashMap<>();
        tree.path("environment")
            .properties()
            .forEach(each -> environment.put(each.getKey(), each.getValue().asText()));
        yield new Work.CommandWork(
            words(tree.path("command")),
            environment,
            new Work.Protocol(
                Work.Protocol.Metrics.valueOf(tree.path("metrics").asText()),
                Optional.ofNullable(tree.get("regex")).map(each -> Pattern.compile(each.asText())),
                Work.Protocol.Answers.valueOf(tree.path("answers").asText())),
            call);
      }
      case "train" ->
          new Work.TrainWork(
              words(tree.path("program")),
              Path.of(tree.path("configuration").asText()),
              Path.of(tree.path("directory").asText()),
              tree.path("share").asText(),
              call);
      default -> throw new IllegalArgumentException("no work: " + tree);
    };
  }

  private static ObjectNode write(Call call) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.set("parameters", JsonValues.tree(call.parameters().values()));
    return tree.put("metric", call.metric())
        .put("seed", call.seed().value())
        .put("budget", call.budget())
        .put("resumeFrom", call.resumeFrom())
        .put("folder", call.folder().toString());
  }

  private static Call readCall(JsonNode tree) {
    Map<String, Object> values = new LinkedHashMap<>();
    tree.path("parameters")
        .properties()
        .forEach(each -> values.put(each.getKey(), JsonValues.of(each.getValue())));
    return new Call(
        Parameters.of(values),
        tree.path("metric").asText(),
        new Seed(tree.path("seed").asLong()),
        tree.path("budget").asLong(),
        tree.path("resumeFrom").asText(),
        Path.of(tree.path("folder").asText()));
  }

  private static List<String> words(JsonNode array) {
    List<String> words = new ArrayList<>();
    array.forEach(each -> words.add(each.asText()));
    return words;
  }

  /** The class of an objective, which another process can make again. */
  private static String className(Objective objective) {
    Class<?> type = objective.getClass();
    try {
      if (!type.isHidden()
          && Modifier.isPublic(type.getModifiers())
          && Modifier.isPublic(type.getConstructor().getModifiers())) {
        return type.getName();
      }
    } catch (NoSuchMethodException e) {
      // Said below.
    }
    throw new UsageException(
        "the objective %s runs in this process only: other nodes need a public class with a constructor without arguments"
            .formatted(type.getName()));
  }

  private static Objective objective(String className) {
    try {
      return Class.forName(className).asSubclass(Objective.class).getConstructor().newInstance();
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException(className + " cannot be made: " + e.getCause(), e);
    } catch (ReflectiveOperationException | ClassCastException e) {
      throw new IllegalArgumentException(
          className + " is no objective of this class path: " + e, e);
    }
  }
}
