package dev.tandem.tune.space;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Spelling;
import dev.tandem.nn.yaml.YamlText;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Spaces from and to YAML and JSON, see the package. An object of arrays, each a list of values to
 * choose from, is one, too; and so is a search space of NNI, told by its {@code _type}.
 */
public final class SpaceYaml {

  private static final String FLOAT = "float";
  private static final String INT = "int";
  private static final String CHOICE = "choice";
  private static final Set<String> KINDS = Set.of(FLOAT, INT, CHOICE);
  private static final Set<String> KEYS = Set.of(FLOAT, INT, CHOICE, "log", "step", "grid", "when");

  private SpaceYaml() {}

  /** The space in a file, JSON or YAML. */
  public static Space read(Path file) {
    try {
      YamlText text = YamlText.parse(file.toString(), Files.readString(file));
      return read(text.tree(), key -> text.nearest(key) + ": ");
    } catch (CharacterCodingException e) {
      throw new UsageException(file + " is not a text file in UTF-8");
    } catch (IOException e) {
      if (!Files.exists(file)) {
        throw new UsageException("the space " + file + " does not exist");
      }
      throw FileErrors.failure("read", file, e);
    }
  }

  /** Where a parameter is written, for messages about it. */
  @FunctionalInterface
  public interface Places {

    /** What a message about a parameter begins with; of the whole space for an empty name. */
    String of(String parameter);
  }

  /** The space of a mapping. */
  public static Space read(JsonNode tree, Places places) {
    if (!(tree instanceof ObjectNode mapping) || mapping.isEmpty()) {
      throw new UsageException(
          places.of("")
              + "expected parameters, each a name with its values, such as opt: [adam, sgd]");
    }
    if (NniSpace.is(mapping)) {
      return NniSpace.read(mapping, places);
    }
    List<Parameter> parameters = new ArrayList<>();
    for (Map.Entry<String, JsonNode> entry : mapping.properties()) {
      parameters.add(placed(places, entry.getKey(), () -> parameter(entry)));
    }
    return placed(places, "", () -> new Space(parameters));
  }

  static <T> T placed(Places places, String name, java.util.function.Supplier<T> reading) {
    try {
      return reading.get();
    } catch (UsageException e) {
      throw new UsageException(
          places.of(name) + (name.isEmpty() ? "" : name + ": ") + e.getMessage());
    }
  }

  private static Parameter parameter(Map.Entry<String, JsonNode> entry) {
    JsonNode node = entry.getValue();
    if (node.isArray()) {
      return new Parameter(entry.getKey(), choice(node));
    }
    if (!(node instanceof ObjectNode keys)) {
      if (!node.isValueNode() || node.isNull()) {
        throw new UsageException("expected a list of values, or {float: [a, b]} or {int: [a, b]}");
      }
      return new Parameter(entry.getKey(), new ChoiceDomain(List.of(JsonValues.of(node))));
    }
    for (Map.Entry<String, JsonNode> key : keys.properties()) {
      if (!KEYS.contains(key.getKey())) {
        throw new UsageException(
            "unknown key '%s', expected float, int or choice, and log, step, grid, when%s"
                .formatted(key.getKey(), Spelling.question(key.getKey(), KEYS)));
      }
    }
    return new Parameter(entry.getKey(), domain(keys), conditions(keys.get("when")), grid(keys));
  }

  private static ChoiceDomain choice(JsonNode node) {
    if (!node.isArray()) {
      throw new UsageException("choice is %s, expected a list".formatted(node));
    }
    List<Object> values = new ArrayList<>();
    node.forEach(each -> values.add(JsonValues.of(each)));
    return new ChoiceDomain(values);
  }

  private static Domain domain(ObjectNode keys) {
    List<String> kinds = KINDS.stream().filter(keys::has).sorted().toList();
    if (kinds.size() != 1) {
      throw new UsageException("expected one of float, int and choice, not " + kinds);
    }
    boolean log = truth(keys, "log");
    Optional<JsonNode> step = Optional.ofNullable(keys.get("step"));
    return switch (kinds.getFirst()) {
      case FLOAT ->
          new RealDomain(
              end(keys, FLOAT, 0),
              end(keys, FLOAT, 1),
              step.map(node -> positive("step", number("step", node))).orElse(0.0),
              log);
      case INT ->
          new WholeDomain(
              whole(INT, keys.get(INT).path(0), end(keys, INT, 0)),
              whole(INT, keys.get(INT).path(1), end(keys, INT, 1)),
              step.map(node -> whole("step", node, number("step", node))).orElse(1L),
              log);
      default -> {
        if (log || step.isPresent()) {
          throw new UsageException("log and step belong to float and int, not to choice");
        }
        yield choice(keys.get(CHOICE));
      }
    };
  }

  private static double end(ObjectNode keys, String kind, int index) {
    JsonNode range = keys.get(kind);
    if (!range.isArray() || range.size() != 2) {
      throw new UsageException("%s is %s, expected [least, greatest]".formatted(kind, range));
    }
    return number(kind, range.get(index));
  }

  private static double number(String key, JsonNode node) {
    if (JsonValues.of(node) instanceof Number number && Double.isFinite(number.doubleValue())) {
      return number.doubleValue();
    }
    throw new UsageException("%s has %s, expected a number".formatted(key, node));
  }

  private static double positive(String key, double number) {
    if (!(number > 0)) {
      throw new UsageException("%s is %s, expected more than 0".formatted(key, number));
    }
    return number;
  }

  private static long whole(String key, JsonNode node, double number) {
    if (number != Math.rint(number) || Math.abs(number) > 1L << 52) {
      throw new UsageException("%s has %s, expected a whole number".formatted(key, node));
    }
    return (long) number;
  }

  private static boolean truth(ObjectNode keys, String key) {
    JsonNode node = keys.path(key);
    if (!node.isMissingNode() && !node.isBoolean()) {
      throw new UsageException("%s is %s, expected true or false".formatted(key, node));
    }
    return node.asBoolean(false);
  }

  private static OptionalInt grid(ObjectNode keys) {
    JsonNode node = keys.get("grid");
    if (node == null) {
      return OptionalInt.empty();
    }
    if (!node.canConvertToInt() || !node.isIntegralNumber()) {
      throw new UsageException("grid is %s, expected how many values it takes".formatted(node));
    }
    return OptionalInt.of(node.intValue());
  }

  private static List<Condition> conditions(JsonNode when) {
    if (when == null) {
      return List.of();
    }
    if (!(when instanceof ObjectNode keys) || keys.isEmpty()) {
      throw new UsageException("when is %s, expected {PARAMETER: VALUE}".formatted(when));
    }
    List<Condition> conditions = new ArrayList<>();
    for (Map.Entry<String, JsonNode> entry : keys.properties()) {
      conditions.add(condition(entry.getKey(), entry.getValue()));
    }
    return conditions;
  }

  private static Condition condition(String name, JsonNode node) {
    if (node instanceof ObjectNode range) {
      if (range.isEmpty()
          || range.properties().stream()
              .anyMatch(e -> !Set.of("min", "max").contains(e.getKey()))) {
        throw new UsageException(
            "when.%s is %s, expected a value, a list, or {min: a, max: b}".formatted(name, node));
      }
      return new Condition.Between(
          name,
          range.has("min") ? number("when." + name, range.get("min")) : Double.NEGATIVE_INFINITY,
          range.has("max") ? number("when." + name, range.get("max")) : Double.POSITIVE_INFINITY);
    }
    List<Object> values = new ArrayList<>();
    if (node.isArray()) {
      node.forEach(each -> values.add(JsonValues.of(each)));
    } else if (!node.isNull()) {
      values.add(JsonValues.of(node));
    }
    if (values.isEmpty()) {
      throw new UsageException("when.%s names no value".formatted(name));
    }
    return new Condition.OneOf(name, values);
  }

  /** What {@link #read} reads as the same space. */
  public static ObjectNode write(Space space) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    space.parameters().forEach(each -> tree.set(each.name(), write(each)));
    return tree;
  }

  private static JsonNode write(Parameter parameter) {
    ObjectNode keys = JsonNodeFactory.instance.objectNode();
    switch (parameter.domain()) {
      case RealDomain real -> {
        keys.putArray(FLOAT).add(real.least()).add(real.greatest());
        if (real.step() > 0) {
          keys.put("step", real.step());
        }
        putLog(keys, real.log());
      }
      case WholeDomain whole -> {
        keys.putArray(INT).add(whole.least()).add(whole.greatest());
        if (whole.step() > 1) {
          keys.put("step", whole.step());
        }
        putLog(keys, whole.log());
      }
      case ChoiceDomain choice -> {
        ArrayNode values = JsonNodeFactory.instance.arrayNode();
        choice.values().forEach(value -> values.add(JsonValues.tree(value)));
        if (parameter.conditions().isEmpty()) {
          return values;
        }
        keys.set(CHOICE, values);
      }
    }
    parameter.gridPoints().ifPresent(points -> keys.put("grid", points));
    if (!parameter.conditions().isEmpty()) {
      ObjectNode when = keys.putObject("when");
      parameter.conditions().forEach(condition -> write(condition, when));
    }
    return keys;
  }

  private static void putLog(ObjectNode keys, boolean log) {
    if (log) {
      keys.put("log", true);
    }
  }

  private static void write(Condition condition, ObjectNode when) {
    switch (condition) {
      case Condition.OneOf oneOf ->
          oneOf
              .values()
              .forEach(value -> when.withArray(oneOf.parameter()).add(JsonValues.tree(value)));
      case Condition.Between range -> {
        ObjectNode ends = when.putObject(range.parameter());
        if (!Double.isInfinite(range.least())) {
          ends.put("min", range.least());
        }
        if (!Double.isInfinite(range.greatest())) {
          ends.put("max", range.greatest());
        }
      }
    }
  }
}
