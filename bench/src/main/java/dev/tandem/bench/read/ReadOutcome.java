package dev.tandem.bench.read;

import dev.tandem.core.WorkFailedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a contender did.
 *
 * @param seconds from opening the database until the last process had its last record
 * @param fields everything it said about all processes together, by name
 * @param readers what it said about each process
 */
record ReadOutcome(
    long records,
    double seconds,
    long checksum,
    Map<String, String> fields,
    List<Map<String, String>> readers) {

  /** Reads lines of {@code name=value}, those of single processes beginning with "reader". */
  static ReadOutcome parse(String contender, String output) {
    List<Map<String, String>> readers = new ArrayList<>();
    Map<String, String> all = Map.of();
    for (String line : output.lines().toList()) {
      if (line.startsWith("reader=")) {
        readers.add(fields(line));
      } else if (line.startsWith("records=")) {
        all = fields(line);
      }
    }
    if (!all.keySet().containsAll(List.of("records", "seconds", "checksum"))) {
      throw new WorkFailedException(contender + " did not say what it read: " + output.strip());
    }
    return new ReadOutcome(
        Long.parseLong(all.get("records")),
        Double.parseDouble(all.get("seconds")),
        Long.parseUnsignedLong(all.get("checksum"), 16),
        all,
        readers);
  }

  private static Map<String, String> fields(String line) {
    Map<String, String> fields = new HashMap<>();
    for (String field : line.strip().split(" ", -1)) {
      int equals = field.indexOf('=');
      fields.put(field.substring(0, equals), field.substring(equals + 1));
    }
    return fields;
  }

  /** A number that the contender may have given; 0 if it did not. */
  double number(String name) {
    return Double.parseDouble(fields.getOrDefault(name, "0"));
  }
}
