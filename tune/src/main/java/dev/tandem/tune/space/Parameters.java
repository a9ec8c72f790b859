package dev.tandem.tune.space;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The values of one trial by name, in the order of the space; only of parameters that are there.
 */
public final class Parameters {

  /** No values. */
  public static final Parameters NONE = new Parameters(Map.of());

  private final Map<String, Object> values;

  private Parameters(Map<String, Object> values) {
    this.values = values;
  }

  /** These values, whole numbers as {@code Long}, others as {@code Double}. */
  public static Parameters of(Map<String, ?> values) {
    Map<String, Object> copy = new LinkedHashMap<>();
    values.forEach((name, value) -> copy.put(name, JsonValues.normal(value)));
    return new Parameters(Collections.unmodifiableMap(copy));
  }

  /** A view of values that the caller goes on adding to. */
  static Parameters viewOf(Map<String, Object> values) {
    return new Parameters(Collections.unmodifiableMap(values));
  }

  public boolean has(String name) {
    return values.containsKey(name);
  }

  /** The value of a parameter that is there. */
  public Object value(String name) {
    Object value = values.get(name);
    if (value == null && !values.containsKey(name)) {
      throw new IllegalArgumentException("there is no parameter '%s' in %s".formatted(name, this));
    }
    return value;
  }

  /** A number. */
  public double real(String name) {
    return ((Number) value(name)).doubleValue();
  }

  /** A whole number. */
  public long whole(String name) {
    return ((Number) value(name)).longValue();
  }

  /** A value as text. */
  public String word(String name) {
    return String.valueOf(value(name));
  }

  /** All values, in order. */
  public Map<String, Object> values() {
    return values;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Parameters same && values.equals(same.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining(" "));
  }
}
