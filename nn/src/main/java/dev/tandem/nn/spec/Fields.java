package dev.tandem.nn.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The keys of one YAML mapping, read by name; every failure is a {@link UsageException} that names
 * the mapping and the key. For one thread.
 */
public final class Fields {

  private final String owner;
  private final JsonNode node;
  private final Set<String> read = new HashSet<>();

  /**
   * The keys of this mapping.
   *
   * @param owner what failures call it
   */
  public Fields(String owner, JsonNode node) {
    if (!node.isObject()) {
      throw new UsageException(owner + ": keys and values are expected, not " + node);
    }
    this.owner = owner;
    this.node = node;
  }

  public String text(String key) {
    JsonNode value = required(key);
    if (!value.isValueNode()) {
      throw wrong(key, value, "a word");
    }
    return value.asText();
  }

  public String text(String key, String otherwise) {
    return has(key) ? text(key) : otherwise;
  }

  public int integer(String key) {
    JsonNode value = required(key);
    if (!value.canConvertToInt() || !value.isIntegralNumber()) {
      throw wrong(key, value, "an integer");
    }
    return value.asInt();
  }

  public int integer(String key, int otherwise) {
    return has(key) ? integer(key) : otherwise;
  }

  public long longInteger(String key, long otherwise) {
    if (!has(key)) {
      return otherwise;
    }
    JsonNode value = required(key);
    if (!value.canConvertToLong() || !value.isIntegralNumber()) {
      throw wrong(key, value, "an integer");
    }
    return value.asLong();
  }

  /** The mapping below a key; an empty one if it is not there. */
  public Fields section(String key) {
    return has(key)
        ? new Fields(key, node.get(key))
        : new Fields(key, JsonNodeFactory.instance.objectNode());
  }

  /** The value of a key, whatever it is. */
  public JsonNode tree(String key) {
    return required(key);
  }

  public double number(String key, double otherwise) {
    return has(key) ? number(key) : otherwise;
  }

  public double number(String key) {
    return number(key, required(key));
  }

  /** One number or a list of them. */
  public List<Double> numbers(String key) {
    JsonNode value = required(key);
    List<Double> numbers = new ArrayList<>();
    (value.isArray() ? value : List.of(value))
        .forEach(element -> numbers.add(number(key, element)));
    return numbers;
  }

  private double number(String key, JsonNode value) {
    // YAML 1.1 takes 1e-5, without a point, for text.
    try {
      return value.isNumber() ? value.asDouble() : Double.parseDouble(value.asText());
    } catch (NumberFormatException e) {
      throw wrong(key, value, "a number");
    }
  }

  public boolean flag(String key, boolean otherwise) {
    if (!has(key)) {
      return otherwise;
    }
    JsonNode value = required(key);
    if (!value.isBoolean()) {
      throw wrong(key, value, "true or false");
    }
    return value.asBoolean();
  }

  /** One of the constants of an enumeration, in lower case with hyphens. */
  public <E extends Enum<E>> E choice(String key, E otherwise) {
    String word = text(key, word(otherwise));
    List<String> known = new ArrayList<>();
    for (E value : otherwise.getDeclaringClass().getEnumConstants()) {
      if (word(value).equals(word)) {
        return value;
      }
      known.add(word(value));
    }
    throw new UsageException(
        "%s: %s is '%s', not one of %s".formatted(owner, key, word, String.join(", ", known)));
  }

  /** How a constant of an enumeration is written. */
  public static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** One integer or a list of them. */
  public int[] integers(String key, int... otherwise) {
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

  public long[] longs(String key) {
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
  public List<String> texts(String key, List<String> otherwise) {
    if (!has(key)) {
      return otherwise;
    }
    JsonNode value = required(key);
    List<String> texts = new ArrayList<>();
    (value.isArray() ? value : List.of(value)).forEach(element -> texts.add(element.asText()));
    return texts;
  }

  /** The elements of a list; none if it is not there. */
  public List<JsonNode> list(String key) {
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
  public void requireAllRead() {
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

  /** Whether the key is there; asking for it makes it a known one. */
  public boolean has(String key) {
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
