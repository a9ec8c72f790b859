package dev.tandem.bench.read;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** In which order and under which limit records are read. */
public enum ReadAccess {
  /** In the order of keys, every process its share of every batch. */
  STRIDED,
  /** In a random order. */
  SHUFFLED,
  /** In a random order with little memory for the page cache. */
  LIMITED,
  /** In the order of keys from storage that allows few requests a second. */
  THROTTLED,
  /** In the order of keys from storage that takes long for each request. */
  LATENCY;

  boolean inKeyOrder() {
    return this == STRIDED || this == THROTTLED || this == LATENCY;
  }

  /** What the contenders call the order. */
  String order() {
    return inKeyOrder() ? "strided" : "shuffled";
  }

  /** As in the results. */
  @Override
  @JsonValue
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
