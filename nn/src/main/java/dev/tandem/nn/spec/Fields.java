package dev.tandem.nn.spec;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The keys of one YAML mapping; every failure names the mapping and the key. */
final class Fields {

  private final String owner;
  private final JsonNode node;
  private final Set<String> read = new HashSet<>();

  Fields(String owner, JsonNode node) {
    if (!node.isObject()) {
      throw new UsageException(owner + ": keys and values are expected, not " + node);
    }
    this.owner = owner;
    this.node = node;
  }

  String text(String key) {
    JsonNode value = required(key);
    if (!value.isValueNode()) {
      throw wrong(key, value, "a word");
    }
    return value.asText();
  }

  String text(String key, String otherwise) {
    return has(key) ? text(key) : otherwise;
  }

  int integer(String key) {
    JsonNode value = required(key);
    if (!value.canConvertToInt() || !value.isIntegralNumber()) {
      throw wrong(key, value, "an integer");
    }
    return value.asInt();
  }

  int integer(String key, int otherwise) {
    return has(key) ? integer(key) : otherwise;
  }

  double number(String key, double otherwise) {
    if (!has(key)) {
      return otherwise;
    }
    JsonNode value = required(key);
    // YAML 1.1 takes 1e-5, without a point, for text.
    try {
      return value.isNumber() ? value.asDouble() : Double.parseDouble(value.asText());
    } catch (NumberFormatException e) {
      throw wrong(key, value, "a number");
    }
  }

  boolean flag(String key, boolean otherwise) {
    if (!has(key)) {
      return otherwise;
    }
    JsonNode value = required(key);
    if (!value.isBoolean()) {
      throw wrong(key, value, "true or false");
    }
    return value.asBoolean();
  }

  /** One of the constants of an enumeration, in lower case. */
  <E extends Enum<E>> E choice(String key, E otherwise) {
    String word = text(key, otherwise.name().toLowerCase(Locale.ROOT));
    for (E value : otherwise.getDeclaringClass().getEnumConstants()) {
      if (value.name().toLowerCase(Locale.ROOT).equals(word)) {
        return value;
      }
    }
    throw new UsageException(
        "%s: %s is '%s', not one of %s"
            .formatted(
                owner, key, word, List.of(otherwise.getDeclaringClass().getEnumConstants())));
  }

  /** One integer or a list of them. */
  int[] integers(String key, int... otherwise) {
    if (!has(key) && otherwise.length > 0) {
      return otherwise;
    }
    long[] values = longs(key);
    int[] integers = new int[values.length];
    for (int i = 0; i < values.length; i++) {
      integers[i] = Math.toIntExact(values[i]);
    }
    return integers;
  }

  long[] longs(String key) {
    JsonNode value = required(key);
    List<JsonNode> elements = new ArrayList<>();
    (value.isArray() ? value : List.of(value)).forEach(elements::add);
    for (JsonNode element : elements) {
      if (!element.isIntegralNumber() || !element.canConvertToInt() || element.asLong() < 0) {
        throw wrong(key, value, "integers of 0 or more");
      }
    }
    return elements.stream().mapToLong(JsonNode::asLong).toArray();
  }

  /** One word or a list of them. */
  List<String> texts(String key, List<String> otherwise) {
    if (!has(key)) {
      return otherwise;
    }
    JsonNode value = required(key);
    List<String> texts = new ArrayList<>();
    (value.isArray() ? value : List.of(value)).forEach(element -> texts.add(element.asText()));
    return texts;
  }

  /** The elements of a list; none if it is not there. */
  List<JsonNode> list(String key) {
    read.add(key);
    JsonNode value = node.path(key);
    if (!value.isMissingNode() && !value.isArray()) {
      throw wrong(key, value, "a list");
    }
    List<JsonNode> elements = new ArrayList<>();
    value.forEach(elements::add);
    return elements;
  }

  /** A key that nobody asked for is a mistake of the author's. */
  void requireAllRead() {
    node.fieldNames()
        .forEachRemaining(
            key -> {
              if (!read.contains(key)) {
                throw new UsageException(
                    "%s: unknown key '%s'; known here: %s"
                        .formatted(owner, key, read.stream().sorted().toList()));
              }
            });
  }

  UsageException unknownType(String type, List<String> known) {
    return new UsageException(
        "%s: unknown type '%s'; known: %s".formatted(owner, type, String.join(", ", known)));
  }

  private boolean has(String key) {
    read.add(key);
    return node.has(key);
  }

  private JsonNode required(String key) {
    if (!has(key)) {
      throw new UsageException("%s: %s is missing".formatted(owner, key));
    }
    return node.get(key);
  }

  private UsageException wrong(String key, JsonNode value, String expected) {
    return new UsageException("%s: %s is %s, not %s".formatted(owner, key, value, expected));
  }
}
