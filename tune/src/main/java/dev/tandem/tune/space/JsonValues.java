package dev.tandem.tune.space;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Values of JSON as those of Java and back: equal JSON gives equal values. */
public final class JsonValues {

  /** YAML 1.1 takes 1e-5, without a point, for text. */
  private static final Pattern NUMBER = Pattern.compile("[-+]?[0-9]+(\\.[0-9]*)?[eE][-+]?[0-9]+");

  private JsonValues() {}

  /** The value of a tree. */
  public static Object of(JsonNode node) {
    if (node.isIntegralNumber()) {
      return node.longValue();
    }
    if (node.isNumber()) {
      return node.doubleValue();
    }
    if (node.isTextual()) {
      String text = node.textValue();
      return NUMBER.matcher(text).matches() ? (Object) Double.valueOf(text) : text;
    }
    if (node.isBoolean()) {
      return node.booleanValue();
    }
    if (node.isArray()) {
      List<Object> values = new ArrayList<>();
      node.forEach(each -> values.add(of(each)));
      return Collections.unmodifiableList(values);
    }
    if (node.isObject()) {
      Map<String, Object> values = new LinkedHashMap<>();
      node.properties().forEach(each -> values.put(each.getKey(), of(each.getValue())));
      return Collections.unmodifiableMap(values);
    }
    return null;
  }

  /** The tree of a value. */
  public static JsonNode tree(Object value) {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    return switch (value) {
      case null -> nodes.nullNode();
      case Long whole -> nodes.numberNode(whole);
      case Double real -> nodes.numberNode(real);
      case String text -> nodes.textNode(text);
      case Boolean truth -> nodes.booleanNode(truth);
      case List<?> list -> {
        ArrayNode array = nodes.arrayNode();
        list.forEach(each -> array.add(tree(each)));
        yield array;
      }
      case Map<?, ?> map -> {
        ObjectNode object = nodes.objectNode();
        map.forEach((name, each) -> object.set((String) name, tree(each)));
        yield object;
      }
      default -> throw new IllegalArgumentException("no value of JSON: " + value.getClass());
    };
  }

  /** A value with whole numbers as {@code Long} and others as {@code Double}. */
  static Object normal(Object value) {
    return switch (value) {
      case Integer number -> number.longValue();
      case Short number -> number.longValue();
      case Byte number -> number.longValue();
      case BigInteger number -> number.longValueExact();
      case Float number -> number.doubleValue();
      case BigDecimal number -> number.doubleValue();
      case null -> null;
      case Long number -> number;
      case Double number -> number;
      case String text -> text;
      case Boolean truth -> truth;
      case List<?> list -> {
        List<Object> values = new ArrayList<>();
        list.forEach(each -> values.add(normal(each)));
        yield Collections.unmodifiableList(values);
      }
      case Map<?, ?> map -> {
        Map<String, Object> values = new LinkedHashMap<>();
        map.forEach((name, each) -> values.put((String) name, normal(each)));
        yield Collections.unmodifiableMap(values);
      }
      default -> throw new IllegalArgumentException("no value of JSON: " + value.getClass());
    };
  }
}
