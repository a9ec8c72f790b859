package dev.tandem.tune.local;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.tune.task.OutcomeJson;
import dev.tandem.tune.task.Work.Protocol;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a line of a program's output says to the study. */
sealed interface ProtocolLine {

  /** Metrics, perhaps of a step, perhaps the last. */
  record Metrics(OptionalLong step, Map<String, Double> values, boolean last)
      implements ProtocolLine {}

  /** A checkpoint is whole. */
  record Saved(long step, String path) implements ProtocolLine {}

  /** Nothing: a line for people. */
  record Text() implements ProtocolLine {}

  /** It begins like a message and is none. */
  record Broken() implements ProtocolLine {}

  /** What {@code tandem train} writes before its events. */
  String EVENT = "@tandem ";

  /** Understands lines of one program. One thread. */
  final class Reader {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String NUMBER =
        "[-+]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][-+]?[0-9]+)?|NaN|nan|[-+]?[Ii]nf(?:inity)?";
    private static final Pattern ASSIGNMENT =
        Pattern.compile("([A-Za-z_][A-Za-z0-9_./\\-]*)\\s*=\\s*(" + NUMBER + ")(?![0-9A-Za-z.])");

    private final Protocol protocol;
    private final String metric;
    private long lines;

    /** Epochs of a training by the steps after which they ended. */
    private final NavigableMap<Long, Long> epochs = new TreeMap<>();

    Reader(Protocol protocol, String metric) {
      this.protocol = protocol;
      this.metric = metric;
    }

    ProtocolLine read(String line) {
      return switch (protocol.metrics()) {
        case JSON -> json(line);
        case KATIB -> found(ASSIGNMENT, line);
        case REGEX -> found(protocol.regex().orElseThrow(), line);
      };
    }

    private ProtocolLine json(String line) {
      String text = line.startsWith(EVENT) ? line.substring(EVENT.length()) : line.strip();
      if (!text.startsWith("{")) {
        return new Text();
      }
      try {
        return JSON.readTree(text) instanceof ObjectNode object ? message(object) : new Broken();
      } catch (JsonProcessingException e) {
        return new Broken();
      }
    }

    /** The checkpoint that a training has after a step, as one of whole epochs; none before one. */
    synchronized Optional<Saved> ofTraining(long step) {
      return Optional.ofNullable(epochs.floorEntry(step))
          .map(epoch -> new Saved(epoch.getValue(), FolderCheckpointStore.folderName(step)));
    }

    private synchronized ProtocolLine message(ObjectNode object) {
      long step = object.path("step").asLong(0);
      if (object.path("checkpoint").isTextual()) {
        return new Saved(step, object.get("checkpoint").textValue());
      }
      Map<String, Double> values = new LinkedHashMap<>();
      for (Map.Entry<String, JsonNode> entry : object.properties()) {
        JsonNode value = entry.getValue();
        if (entry.getKey().equals("step")) {
          continue;
        }
        if (value.isNumber() || notFinite(value)) {
          values.put(entry.getKey(), OutcomeJson.number(value));
        }
      }
      String event = object.path("event").asText();
      boolean last = object.path("final").asBoolean(false) || event.equals("result");
      if (event.equals("epoch")) {
        // What validation found, by the names that the result has.
        epochs.put(step, object.path("epoch").asLong());
        step = object.path("epoch").asLong();
        if (values.containsKey("testAccuracy")) {
          values.put("accuracy", values.get("testAccuracy"));
        }
      } else if (event.equals("checkpoint")) {
        Optional<Saved> saved = ofTraining(step);
        return saved.isPresent() ? saved.get() : new Text();
      } else if (!event.isEmpty() && !last) {
        return new Text();
      }
      if (values.isEmpty()) {
        return new Text();
      }
      return new Metrics(
          object.path("step").isNumber() ? OptionalLong.of(step) : OptionalLong.empty(),
          values,
          last);
    }

    private static boolean notFinite(JsonNode value) {
      return value.isTextual() && value.textValue().matches("NaN|-?Infinity");
    }

    private ProtocolLine found(Pattern pattern, String line) {
      Map<String, Double> values = new LinkedHashMap<>();
      Matcher matcher = pattern.matcher(line);
      while (matcher.find()) {
        boolean named = pattern.namedGroups().containsKey("value");
        String name =
            pattern.namedGroups().containsKey("name")
                ? matcher.group("name")
                : pattern.equals(ASSIGNMENT) ? matcher.group(1) : metric;
        String value =
            pattern.equals(ASSIGNMENT)
                ? matcher.group(2)
                : matcher.group(named ? "value" : matcher.groupCount() > 0 ? "1" : "0");
        number(value).ifPresent(number -> values.put(name, number));
      }
      if (!values.containsKey(metric)) {
        return new Text();
      }
      lines++;
      Optional<Double> step = Optional.ofNullable(values.remove("step"));
      return new Metrics(OptionalLong.of(step.map(Double::longValue).orElse(lines)), values, false);
    }

    private static Optional<Double> number(String text) {
      if (text == null) {
        return Optional.empty();
      }
      String plain = text.toLowerCase(java.util.Locale.ROOT);
      if (plain.endsWith("nan")) {
        return Optional.of(Double.NaN);
      }
      if (plain.contains("inf")) {
        return Optional.of(
            plain.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
      }
      try {
        return Optional.of(Double.valueOf(text));
      } catch (NumberFormatException e) {
        return Optional.empty();
      }
    }
  }
}
