package dev.tandem.nn.yaml;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.introspect.AnnotatedClass;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Records from and to YAML; see the package. Constants of enumerations are written in lower case
 * with hyphens, and a list of one element may be written as the element. Immutable once it has been
 * set up; then any thread may use it.
 */
public final class RecordYaml {

  private final YAMLMapper mapper;
  private final Set<Class<?>> special = new HashSet<>();
  private final Map<String, String> elsewhere;
  private final Map<String, JsonNode> defaults = new ConcurrentHashMap<>();

  /**
   * A reader and writer.
   *
   * @param elsewhere the key that is meant by a name which is none, or none any more
   */
  public RecordYaml(Map<String, String> elsewhere) {
    this.elsewhere = Map.copyOf(elsewhere);
    mapper =
        YAMLMapper.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .disable(YAMLGenerator.Feature.USE_NATIVE_TYPE_ID)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .enable(DeserializationFeature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
            .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
            .defaultPropertyInclusion(
                JsonInclude.Value.construct(
                    JsonInclude.Include.NON_ABSENT, JsonInclude.Include.ALWAYS))
            .withCoercionConfig(
                LogicalType.Integer,
                no -> no.setCoercion(CoercionInputShape.String, CoercionAction.Fail))
            .withCoercionConfig(
                LogicalType.Boolean,
                no ->
                    no.setCoercion(CoercionInputShape.String, CoercionAction.Fail)
                        .setCoercion(CoercionInputShape.Integer, CoercionAction.Fail))
            .annotationIntrospector(new Words())
            .addModule(new Jdk8Module())
            .build();
  }

  /** Lets values of a type be read from a text and written as one, or as a number. */
  public <T> RecordYaml scalar(Class<T> type, Function<String, T> read, Function<T, ?> write) {
    mapper.registerModule(
        new SimpleModule(type.getName())
            .addDeserializer(type, deserializer(type, node -> read.apply(text(node))))
            .addSerializer(
                type,
                new StdSerializer<T>(type) {
                  @Override
                  public void serialize(T value, JsonGenerator to, SerializerProvider provider)
                      throws IOException {
                    to.writePOJO(write.apply(value));
                  }
                }));
    special.add(type);
    return this;
  }

  /** Lets values of a type be read from whatever YAML stands there. */
  public <T> RecordYaml tree(Class<T> type, Function<JsonNode, T> read) {
    mapper.registerModule(
        new SimpleModule(type.getName()).addDeserializer(type, deserializer(type, read)));
    special.add(type);
    return this;
  }

  private static String text(JsonNode node) {
    if (!node.isValueNode()) {
      throw new UsageException("expected a word, not " + node);
    }
    return node.asText();
  }

  private static <T> StdDeserializer<T> deserializer(Class<T> type, Function<JsonNode, T> read) {
    return new StdDeserializer<>(type) {
      @Override
      public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
        return read.apply(context.readTree(parser));
      }
    };
  }

  /** Plain YAML, before it is bound. */
  public ObjectMapper mapper() {
    return mapper;
  }

  /** All keys of a record, as YAML. */
  public String write(Record record) {
    try {
      return mapper.writeValueAsString(record);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The keys of a record that differ from their defaults; a list of one element is the element. */
  public ObjectNode shortest(Record record) {
    ObjectNode tree = mapper.valueToTree(record);
    RecordKeys.of(record.getClass())
        .forEach(
            (key, component) -> {
              JsonNode value = tree.get(key);
              if (value != null && value.isArray() && value.size() == 1) {
                value = value.get(0);
                tree.set(key, value);
              }
              Default otherwise = component.getAnnotation(Default.class);
              if (value != null && otherwise != null && same(value, parse(otherwise))) {
                tree.remove(key);
              }
            });
    return tree;
  }

  /** YAML 1.1 takes 1e-5, without a point, for text. */
  private static boolean same(JsonNode value, JsonNode otherwise) {
    return value.isNumber()
        ? value.asDouble() == otherwise.asDouble()
        : value.isValueNode() && value.asText().equals(otherwise.asText());
  }

  /**
   * A record from a mapping, with defaults filled in.
   *
   * @param where what an error about a key (such as {@code batch.global}) begins with
   * @throws UsageException one line that names the key, its value and what was expected
   */
  public <T extends Record> T read(JsonNode tree, Class<T> type, UnaryOperator<String> where) {
    if (!(tree instanceof ObjectNode mapping)) {
      throw new UsageException(where.apply("") + ": expected keys and values, not " + tree);
    }
    ObjectNode complete = mapping.deepCopy();
    try {
      complete(complete, type, "");
      return mapper.treeToValue(complete, type);
    } catch (KeyMistake e) {
      throw new UsageException(where.apply(e.key) + ": " + e.getMessage());
    } catch (JsonMappingException e) {
      throw failure(e, complete, where);
    } catch (JsonProcessingException e) {
      throw new UsageException(where.apply("") + ": " + e.getOriginalMessage());
    }
  }

  /** Puts defaults where keys are left out and refuses keys that the record does not have. */
  private void complete(ObjectNode node, Class<?> type, String path) {
    Class<?> record = type;
    Set<String> known = new HashSet<>();
    if (RecordKeys.kind(type).isPresent()) {
      JsonTypeInfo info = RecordKeys.kind(type).get();
      known.add(info.property());
      record = kind(node, type, info, join(path, info.property()));
    }
    Map<String, RecordComponent> keys = RecordKeys.of(record);
    known.addAll(keys.keySet());
    for (String key : List.copyOf(node.properties().stream().map(Map.Entry::getKey).toList())) {
      if (!known.contains(key)) {
        throw unknown(path, key, known);
      }
      if (node.get(key).isNull()) {
        node.remove(key);
      }
    }
    keys.forEach((key, component) -> complete(node, key, component, join(path, key)));
  }

  private void complete(ObjectNode node, String key, RecordComponent component, String path) {
    Class<?> type = RecordKeys.type(component);
    boolean section =
        !special.contains(type) && (type.isRecord() || RecordKeys.kind(type).isPresent());
    if (!node.has(key)) {
      Default otherwise = component.getAnnotation(Default.class);
      if (otherwise != null) {
        node.set(key, type == String.class ? new TextNode(otherwise.value()) : parse(otherwise));
      } else if (RecordKeys.optional(component)) {
        return;
      } else if (section) {
        node.putObject(key);
      } else {
        throw new KeyMistake(path, path + " is missing");
      }
    }
    if (section && node.get(key) instanceof ObjectNode below) {
      complete(below, type, path);
    }
    RecordKeys.element(component)
        .filter(Class::isRecord)
        .filter(element -> !special.contains(element))
        .ifPresent(
            element ->
                node.get(key)
                    .valueStream()
                    .filter(JsonNode::isObject)
                    .forEach(below -> complete((ObjectNode) below, element, path)));
  }

  private static Class<?> kind(ObjectNode node, Class<?> type, JsonTypeInfo info, String path) {
    Map<String, Class<?>> kinds = RecordKeys.kinds(type);
    JsonNode named = node.get(info.property());
    if (named == null || named.isNull()) {
      if (info.defaultImpl() == JsonTypeInfo.class) {
        throw new KeyMistake(path, path + " is missing, expected " + oneOf(kinds.keySet()));
      }
      return info.defaultImpl();
    }
    Class<?> kind = kinds.get(named.asText());
    if (kind == null) {
      throw new KeyMistake(
          path, "%s is '%s', expected %s".formatted(path, named.asText(), oneOf(kinds.keySet())));
    }
    return kind;
  }

  private JsonNode parse(Default otherwise) {
    return defaults.computeIfAbsent(otherwise.value(), this::parsed).deepCopy();
  }

  private JsonNode parsed(String yaml) {
    try {
      return mapper.readTree(yaml);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private KeyMistake unknown(String path, String key, Set<String> known) {
    String full = join(path, key);
    Set<String> near = new HashSet<>(elsewhere.keySet());
    known.forEach(word -> near.add(join(path, word)));
    near.removeIf(word -> word.lastIndexOf('.') != full.lastIndexOf('.') || !word.startsWith(path));
    String meant =
        Spelling.nearest(full, near, key.length() / 3)
            .map(word -> "did you mean " + elsewhere.getOrDefault(word, word) + "?")
            .orElseGet(() -> "known here: " + String.join(", ", known.stream().sorted().toList()));
    return new KeyMistake(full, "unknown key '%s'; %s".formatted(full, meant));
  }

  private static String oneOf(Collection<String> words) {
    return "one of " + String.join(", ", words);
  }

  private static String join(String path, String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  private static RuntimeException failure(
      JsonMappingException e, ObjectNode tree, UnaryOperator<String> where) {
    String path =
        e.getPath().stream()
            .map(at -> at.getFieldName() == null ? "[" + at.getIndex() + "]" : at.getFieldName())
            .collect(Collectors.joining("."))
            .replace(".[", "[");
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof UsageException mistake) {
        return said(mistake.getMessage(), e, path, where);
      }
      if (cause instanceof TandemException other) {
        return other;
      }
    }
    JsonNode value = tree.at("/" + path.replace('.', '/').replace("[", "/").replace("]", ""));
    return new UsageException(
        "%s: %s is %s, expected %s"
            .formatted(
                where.apply(path),
                path,
                value,
                e instanceof MismatchedInputException wrong && wrong.getTargetType() != null
                    ? expected(wrong.getTargetType())
                    : "another value (" + e.getOriginalMessage() + ")"));
  }

  /**
   * What a constructor says is about the key with which it begins, or else about the record, unless
   * it says so itself.
   */
  private static UsageException said(
      String message, JsonMappingException e, String path, UnaryOperator<String> where) {
    String word = message.split("[ .:]", 2)[0];
    if (e instanceof ValueInstantiationException inRecord
        && inRecord.getType().isRecordType()
        && RecordKeys.of(inRecord.getType().getRawClass()).containsKey(word)) {
      return new UsageException(where.apply(join(path, word)) + ": " + join(path, message));
    }
    String owner = where.apply(path) + (path.isEmpty() ? "" : ": " + path);
    return new UsageException(message.startsWith(owner + ":") ? message : owner + ": " + message);
  }

  private static String expected(Class<?> type) {
    if (type.isEnum()) {
      return oneOf(
          Arrays.stream(type.getEnumConstants()).map(value -> word((Enum<?>) value)).toList());
    }
    return switch (type.getSimpleName()) {
      case "int", "long", "Integer", "Long" -> "an integer";
      case "double", "Double" -> "a number";
      case "boolean", "Boolean" -> "true or false";
      case "String" -> "a word";
      default -> Collection.class.isAssignableFrom(type) ? "a list" : "keys and values";
    };
  }

  /** How a constant of an enumeration is written. */
  public static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** A key that is unknown or missing. */
  private static final class KeyMistake extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String key;

    KeyMistake(String key, String message) {
      super(message);
      this.key = key;
    }
  }

  /** Constants of enumerations in lower case with hyphens. */
  private static final class Words extends JacksonAnnotationIntrospector {

    private static final long serialVersionUID = 1L;

    @Override
    public String[] findEnumValues(
        MapperConfig<?> config, AnnotatedClass type, Enum<?>[] values, String[] names) {
      return Arrays.stream(values).map(RecordYaml::word).toArray(String[]::new);
    }
  }
}
