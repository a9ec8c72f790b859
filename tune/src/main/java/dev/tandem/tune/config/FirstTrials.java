package dev.tandem.tune.config;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.UsageException;
import dev.tandem.tune.space.JsonValues;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is tried before any suggestion, out of the key {@code enqueue}. */
final class FirstTrials {

  private FirstTrials() {}

  static List<Parameters> of(JsonNode list, Space space) {
    List<Parameters> all = new ArrayList<>();
    for (JsonNode each : list) {
      Map<String, Object> values = new LinkedHashMap<>();
      each.properties()
          .forEach(entry -> values.put(entry.getKey(), JsonValues.of(entry.getValue())));
      Parameters parameters = Parameters.of(values);
      if (!each.isObject() || !space.contains(parameters)) {
        throw new UsageException(
            "enqueue has %s, which is not a point of the space".formatted(each));
      }
      all.add(parameters);
    }
    return all;
  }
}
