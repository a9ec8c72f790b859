package dev.tandem.nn.yaml;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The JSON Schema (draft 2020-12) of what {@link RecordYaml} reads into a record: keys, types,
 * words of enumerations and defaults. It accepts all that is read; values are checked further when
 * they are.
 */
public final class RecordSchema {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** YAML 1.1 takes 1e-5, without a point, for text. */
  private static final String NUMBER = "^[-+]?[0-9.]+([eE][-+]?[0-9]+)?$";

  private final Map<Class<?>, ObjectNode> special;
  private final Function<Default, JsonNode> defaults;

  /**
   * Schemas.
   *
   * @param special those of types that are read in their own way
   * @param defaults the values of keys that are left out
   */
  RecordSchema(Map<Class<?>, ObjectNode> special, Function<Default, JsonNode> defaults) {
    this.special = special;
    this.defaults = defaults;
  }

  ObjectNode of(Class<?> record) {
    return JSON.objectNode()
        .put("$schema", "https://json-schema.org/draft/2020-12/schema")
        .setAll(mapping(record, Optional.empty()));
  }

  /** The keys of a record, and the one that says that it is this one of several. */
  private ObjectNode mapping(Class<?> record, Optional<Kind> kind) {
    ObjectNode schema = JSON.objectNode().put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    ArrayNode required = JSON.arrayNode();
    kind.ifPresent(
        own -> {
          properties.putObject(own.key()).put("const", own.word());
          if (!own.usual()) {
            required.add(own.key());
          }
        });
    RecordKeys.of(record)
        .forEach(
            (key, component) -> {
              ObjectNode value = value(valueType(component));
              Default otherwise = component.getAnnotation(Default.class);
              if (otherwise != null) {
                value.set(
                    "default",
                    RecordKeys.type(component) == String.class
                        ? JSON.textNode(otherwise.value())
                        : defaults.apply(otherwise));
              } else if (needed(component)) {
                required.add(key);
              }
              properties.set(key, value);
            });
    if (!required.isEmpty()) {
      schema.set("required", required);
    }
    return schema.put("additionalProperties", false);
  }

  /** One of several records: which, and whether it is what is meant if nothing says which. */
  private record Kind(String key, String word, boolean usual) {}

  /** A section is needed only if something in it is. */
  private boolean needed(RecordComponent component) {
    if (RecordKeys.optional(component)) {
      return false;
    }
    Class<?> type = RecordKeys.type(component);
    if (special.containsKey(type) || !(type.isRecord() || RecordKeys.kind(type).isPresent())) {
      return true;
    }
    Class<?> usual = RecordKeys.kind(type).<Class<?>>map(JsonTypeInfo::defaultImpl).orElse(type);
    return !usual.isRecord()
        || RecordKeys.of(usual).values().stream()
            .anyMatch(below -> below.getAnnotation(Default.class) == null && needed(below));
  }

  private static Type valueType(RecordComponent component) {
    return RecordKeys.optional(component)
        ? ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0]
        : component.getGenericType();
  }

  private ObjectNode value(Type type) {
    if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
      ObjectNode element = value(list.getActualTypeArguments()[0]);
      ObjectNode array = JSON.objectNode().put("type", "array");
      array.set("items", element);
      return anyOf(array, element); // a list of one may be written as the element
    }
    if (type instanceof ParameterizedType map && map.getRawType() == Map.class) {
      ObjectNode object = JSON.objectNode().put("type", "object");
      object.set("additionalProperties", value(map.getActualTypeArguments()[1]));
      return object;
    }
    if (!(type instanceof Class<?> plain)) {
      return JSON.objectNode();
    }
    if (special.containsKey(plain)) {
      return special.get(plain).deepCopy();
    }
    if (plain.isEnum()) {
      ObjectNode words = JSON.objectNode();
      ArrayNode list = words.putArray("enum");
      Arrays.stream(plain.getEnumConstants())
          .forEach(value -> list.add(RecordYaml.word((Enum<?>) value)));
      return words;
    }
    if (RecordKeys.kind(plain).isPresent()) {
      return kinds(plain, RecordKeys.kind(plain).get());
    }
    if (plain.isRecord()) {
      ObjectNode keys = mapping(plain, Optional.empty());
      return fromWord(plain) ? anyOf(keys, words()) : keys;
    }
    return scalar(plain);
  }

  private ObjectNode kinds(Class<?> type, JsonTypeInfo info) {
    ObjectNode schema = JSON.objectNode();
    ArrayNode kinds = schema.putArray("oneOf");
    RecordKeys.kinds(type)
        .forEach(
            (word, record) ->
                kinds.add(
                    mapping(
                        record,
                        Optional.of(
                            new Kind(info.property(), word, record == info.defaultImpl())))));
    return schema;
  }

  /** Whether a word may stand for the whole mapping. */
  private static boolean fromWord(Class<?> record) {
    for (Method method : record.getDeclaredMethods()) {
      JsonCreator creator = method.getAnnotation(JsonCreator.class);
      if (creator != null && creator.mode() == JsonCreator.Mode.DELEGATING) {
        return true;
      }
    }
    return false;
  }

  private static ObjectNode scalar(Class<?> type) {
    ObjectNode schema = JSON.objectNode();
    switch (type.getSimpleName()) {
      case "int", "long", "Integer", "Long" -> schema.put("type", "integer");
      case "double", "float", "Double", "Float" -> {
        schema.putArray("type").add("number").add("string");
        schema.put("pattern", NUMBER);
      }
      case "boolean", "Boolean" -> schema.put("type", "boolean");
      case "String" -> schema.setAll(words());
      default -> {
        // Read in a way of its own: anything may stand there.
      }
    }
    return schema;
  }

  /** A word, which YAML may take for a number or a truth value. */
  static ObjectNode words() {
    ObjectNode schema = JSON.objectNode();
    schema.putArray("type").add("string").add("number").add("boolean");
    return schema;
  }

  private static ObjectNode anyOf(ObjectNode... choices) {
    ObjectNode schema = JSON.objectNode();
    ArrayNode list = schema.putArray("anyOf");
    Arrays.stream(choices).forEach(list::add);
    return schema;
  }
}
