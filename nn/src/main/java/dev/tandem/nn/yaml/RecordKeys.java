package dev.tandem.nn.yaml;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import java.lang.annotation.Annotation;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** What Jackson's annotations say about the keys of a record. */
final class RecordKeys {

  private static final ClassValue<Map<String, RecordComponent>> KEYS =
      new ClassValue<>() {
        @Override
        protected Map<String, RecordComponent> computeValue(Class<?> record) {
          return keys(record);
        }
      };

  private RecordKeys() {}

  /**
   * All keys of a record and of the mappings in it, each with the keys around it.
   *
   * @param section whether a type is a mapping whose keys are known
   */
  static Set<String> paths(Class<?> record, Predicate<Class<?>> section) {
    Set<String> paths = new LinkedHashSet<>();
    addPaths(record, "", section, paths);
    return paths;
  }

  private static void addPaths(
      Class<?> type, String path, Predicate<Class<?>> section, Set<String> paths) {
    if (kind(type).isPresent()) {
      paths.add(KeyException.join(path, kind(type).get().property()));
      kinds(type).values().forEach(kind -> addPaths(kind, path, section, paths));
    } else {
      of(type)
          .forEach(
              (key, component) -> {
                String below = KeyException.join(path, key);
                paths.add(below);
                if (section.test(type(component))) {
                  addPaths(type(component), below, section, paths);
                }
              });
    }
  }

  /** The components of a record by key, those of unwrapped records included. */
  static Map<String, RecordComponent> of(Class<?> record) {
    return KEYS.get(record);
  }

  private static Map<String, RecordComponent> keys(Class<?> record) {
    Map<String, RecordComponent> keys = new LinkedHashMap<>();
    for (RecordComponent component : record.getRecordComponents()) {
      if (annotation(component, JsonUnwrapped.class).isPresent()) {
        keys.putAll(of(component.getType()));
      } else {
        keys.put(key(component), component);
      }
    }
    return keys;
  }

  private static String key(RecordComponent component) {
    return annotation(component, JsonProperty.class)
        .map(JsonProperty::value)
        .filter(name -> !name.isEmpty())
        .orElseGet(
            () ->
                PropertyNamingStrategies.KebabCaseStrategy.INSTANCE.translate(component.getName()));
  }

  /** Jackson's annotations go from a component to its field. */
  private static <A extends Annotation> Optional<A> annotation(
      RecordComponent component, Class<A> type) {
    try {
      return Optional.ofNullable(
          component.getDeclaringRecord().getDeclaredField(component.getName()).getAnnotation(type));
    } catch (NoSuchFieldException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The type of a component, or that of what an optional one holds. */
  static Class<?> type(RecordComponent component) {
    Type type = component.getGenericType();
    if (optional(component)) {
      type = ((ParameterizedType) type).getActualTypeArguments()[0];
    }
    return (Class<?>) (type instanceof ParameterizedType list ? list.getRawType() : type);
  }

  /** What a list holds. */
  static Optional<Class<?>> element(RecordComponent component) {
    return component.getType() == List.class
            && ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0]
                instanceof Class<?> element
        ? Optional.of(element)
        : Optional.empty();
  }

  static boolean optional(RecordComponent component) {
    return component.getType() == Optional.class;
  }

  /** The key that says which of several records a mapping is, if it may be one of several. */
  static Optional<JsonTypeInfo> kind(Class<?> type) {
    return Optional.ofNullable(type.getAnnotation(JsonTypeInfo.class));
  }

  /** The records that a mapping may be, by the word that says so. */
  static Map<String, Class<?>> kinds(Class<?> type) {
    Map<String, Class<?>> kinds = new LinkedHashMap<>();
    Arrays.stream(type.getAnnotation(JsonSubTypes.class).value())
        .forEach(kind -> kinds.put(kind.name(), kind.value()));
    return kinds;
  }
}
