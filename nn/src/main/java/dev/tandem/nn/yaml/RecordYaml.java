package dev.tandem.nn.yaml;

import static dev.tandem.nn.yaml.KeyException.join;

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
import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Records from and to YAML; see the package. Constants of enumerations are written in lower case
 * with hyphens, and a list of one element may be written as the element. Immutable once it has been
 * set up; then any thread may use it.
 */
public final class RecordYaml {

  private final YAMLMapper mapper;
  private final Map<Class<?>, ObjectNode> special = new HashMap<>();
  private final KeyNames names;
  private final Map<String, JsonNode> defaults = new ConcurrentHashMap<>();

  /**
   * A reader and writer.
   *
   * @param elsewhere the key that is meant by a name which is none, or none any more
   */
  public RecordYaml(Map<String, String> elsewhere) {
    names = new KeyNames(Map.copyOf(elsewhere), this::section);
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
    return value(type, node -> read.apply(text(node)), write, RecordSchema.words());
  }

  /**
   * Lets values of a type be read from whatever YAML stands there, and written as a text or number.
   *
   * @param schema what may stand there
   */
  public <T> RecordYaml value(
      Class<T> type, Function<JsonNode, T> read, Function<T, ?> write, ObjectNode schema) {
    mapper.registerModule(
        new SimpleModule(type.getName())
            .addDeserializer(type, deserializer(type, read))
            .addSerializer(
                type,
                new StdSerializer<T>(type) {
                  @Override
                  public void serialize(T value, JsonGenerator to, SerializerProvider provider)
                      throws IOException {
                    to.writePOJO(write.apply(value));
                  }
                }));
    special.put(type, schema);
    return this;
  }

  /**
   * Lets values of a type be read from whatever YAML stands there.
   *
   * @param schema what may stand there
   */
  public <T> RecordYaml tree(Class<T> type, Function<JsonNode, T> read, ObjectNode schema) {
    mapper.registerModule(
        new SimpleModule(type.getName()).addDeserializer(type, deserializer(type, read)));
    special.put(type, schema);
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

  /** What {@link #read} takes for a record, as a JSON Schema. */
  public ObjectNode schema(Class<? extends Record> type) {
    return new RecordSchema(special, this::parse).of(type);
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
   * @param places what an error about a key begins with
   * @throws UsageException one line that names the place, the key, its value and what was expected
   */
  public <T extends Record> T read(JsonNode tree, Class<T> type, KeyPlaces places) {
    try {
      return read(tree, type);
    } catch (KeyException e) {
      throw new UsageException(places.nearest(e.key()) + ": " + e.getMessage());
    } catch (WorkFailedException e) {
      throw places.placed(e);
    }
  }

  /**
   * A record from a mapping, which may be a part of a larger one.
   *
   * @throws KeyException one line that names the key, its value and what was expected
   */
  public <T extends Record> T read(JsonNode tree, Class<T> type) {
    if (!(tree instanceof ObjectNode mapping)) {
      throw new KeyException(
          "", "expected keys and values" + (tree.isMissingNode() ? "" : ", not " + tree));
    }
    ObjectNode complete = mapping.deepCopy();
    try {
      complete(complete, type, "", type);
      return mapper.treeToValue(complete, type);
    } catch (JsonMappingException e) {
      throw failure(e, mapping, complete);
    } catch (JsonProcessingException e) {
      throw new KeyException("", e.getOriginalMessage());
    }
  }

  /** Puts defaults where keys are left out and refuses keys that the record does not have. */
  private void complete(ObjectNode node, Class<?> type, String path, Class<?> root) {
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
        throw names.unknown(root, path, key, known);
      }
      if (node.get(key).isNull()) {
        node.remove(key);
      }
    }
    keys.forEach((key, component) -> complete(node, key, component, join(path, key), root));
  }

  private void complete(
      ObjectNode node, String key, RecordComponent component, String path, Class<?> root) {
    Class<?> type = RecordKeys.type(component);
    if (!node.has(key)) {
      Default otherwise = component.getAnnotation(Default.class);
      if (otherwise != null) {
        node.set(key, type == String.class ? new TextNode(otherwise.value()) : parse(otherwise));
      } else if (RecordKeys.optional(component)) {
        return;
      } else if (section(type)) {
        node.putObject(key);
      } else {
        throw new KeyException(path, path + " is missing");
      }
    }
    if (section(type) && node.get(key) instanceof ObjectNode below) {
      complete(below, type, path, root);
    }
    if (RecordKeys.element(component).filter(this::section).isPresent()) {
      Class<?> element = RecordKeys.element(component).get();
      JsonNode list = node.get(key);
      for (int i = 0; i < list.size(); i++) {
        if (list.get(i) instanceof ObjectNode below) {
          complete(below, element, path + "[" + i + "]", root);
        }
      }
    }
  }

  /** Whether it is a mapping whose keys are known. */
  private boolean section(Class<?> type) {
    return !special.containsKey(type) && (type.isRecord() || RecordKeys.kind(type).isPresent());
  }

  private static Class<?> kind(ObjectNode node, Class<?> type, JsonTypeInfo info, String path) {
    Map<String, Class<?>> kinds = RecordKeys.kinds(type);
    JsonNode named = node.get(info.property());
    if (named == null || named.isNull()) {
      if (info.defaultImpl() == JsonTypeInfo.class) {
        throw new KeyException(path, path + " is missing, expected " + oneOf(kinds.keySet()));
      }
      return info.defaultImpl();
    }
    Class<?> kind = kinds.get(named.asText());
    if (kind == null) {
      throw new KeyException(
          path,
          "%s is '%s', expected %s%s"
              .formatted(
                  path,
                  named.asText(),
                  oneOf(kinds.keySet()),
                  Spelling.question(named.asText(), kinds.keySet())));
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

  private static String oneOf(Collection<String> words) {
    return "one of " + String.join(", ", words);
  }

  /**
   * What to say of a failure.
   *
   * @param written the mapping as it was given
   * @param complete the same with defaults
   */
  private static RuntimeException failure(
      JsonMappingException e, ObjectNode written, ObjectNode complete) {
    String path =
        e.getPath().stream()
            .map(at -> at.getFieldName() == null ? "[" + at.getIndex() + "]" : at.getFieldName())
            .reduce("", KeyException::join);
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof KeyException mistake) {
        return path.isEmpty() ? mistake : mistake.within(path, path);
      }
      if (cause instanceof UsageException mistake) {
        return MentionedKey.explained(mistake.getMessage(), path, owner(e), written);
      }
      if (cause instanceof TandemException other) {
        return other;
      }
    }
    JsonNode value = MentionedKey.at(complete, path);
    Optional<Class<?>> wanted =
        e instanceof MismatchedInputException wrong
            ? Optional.ofNullable(wrong.getTargetType())
            : Optional.empty();
    return new KeyException(
        path,
        "%s is %s, expected %s%s"
            .formatted(
                path,
                value,
                wanted
                    .map(RecordYaml::expected)
                    .orElse("another value (" + e.getOriginalMessage() + ")"),
                wanted
                    .filter(Class::isEnum)
                    .map(type -> Spelling.question(value.asText(), words(type)))
                    .orElse("")));
  }

  /** The record whose constructor failed, if one did. */
  private static Optional<Class<?>> owner(JsonMappingException e) {
    return e instanceof ValueInstantiationException inRecord && inRecord.getType().isRecordType()
        ? Optional.of(inRecord.getType().getRawClass())
        : Optional.empty();
  }

  private static String expected(Class<?> type) {
    if (type.isEnum()) {
      return oneOf(words(type));
    }
    return switch (type.getSimpleName()) {
      case "int", "long", "Integer", "Long" -> "an integer";
      case "double", "Double" -> "a number";
      case "boolean", "Boolean" -> "true or false";
      case "String" -> "a word";
      default -> Collection.class.isAssignableFrom(type) ? "a list" : "keys and values";
    };
  }

  private static List<String> words(Class<?> type) {
    return Arrays.stream(type.getEnumConstants()).map(value -> word((Enum<?>) value)).toList();
  }

  /** How a constant of an enumeration is written. */
  public static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
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
