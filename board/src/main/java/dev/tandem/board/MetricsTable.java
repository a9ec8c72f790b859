package dev.tandem.board;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Events of a run as comma-separated values: a column for each value that any of them has. Lists of
 * numbers become a column each, named {@code key.0} and so on; deeper structures are left out.
 * Reads the file once for the columns and again for the rows.
 */
public final class MetricsTable {

  private final Path file;
  private final Set<String> kinds;
  private final Set<String> columns = new LinkedHashSet<>();

  private MetricsTable(Path file, Set<String> kinds) {
    this.file = file;
    this.kinds = kinds;
  }

  /** The table of these kinds of events of a run. */
  public static MetricsTable of(Path run, List<String> kinds) {
    MetricsTable table =
        new MetricsTable(run.resolve(RunMetrics.METRICS), new LinkedHashSet<>(kinds));
    table.events(event -> table.columns.addAll(values(event).keySet()));
    return table;
  }

  /** Names, in the order of their first appearance; empty if there are no such events. */
  public List<String> columns() {
    return List.copyOf(columns);
  }

  /** Writes a line of names and a line for each event; gives the number of the latter. */
  public long write(Appendable to) throws IOException {
    line(to, columns());
    long[] rows = {0};
    try {
      events(
          event -> {
            Map<String, String> values = values(event);
            rows[0]++;
            try {
              line(to, columns.stream().map(name -> values.getOrDefault(name, "")).toList());
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return rows[0];
  }

  private void events(Consumer<JsonNode> wanted) {
    if (Files.exists(file)) {
      MetricsFile.forEach(
          file,
          event -> {
            if (kinds.contains(event.path("event").asText())) {
              wanted.accept(event);
            }
          });
    }
  }

  private static Map<String, String> values(JsonNode event) {
    Map<String, String> values = new LinkedHashMap<>();
    event
        .properties()
        .forEach(
            entry -> {
              JsonNode value = entry.getValue();
              if (value.isValueNode()) {
                values.put(entry.getKey(), value.isNull() ? "" : value.asText());
              } else if (value.isArray()) {
                for (int i = 0; i < value.size(); i++) {
                  if (value.get(i).isValueNode()) {
                    values.put(entry.getKey() + "." + i, value.get(i).asText());
                  }
                }
              }
            });
    return values;
  }

  private static void line(Appendable to, List<String> cells) throws IOException {
    List<String> quoted = new ArrayList<>();
    for (String cell : cells) {
      boolean plain = cell.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
      quoted.add(plain ? cell : '"' + cell.replace("\"", "\"\"") + '"');
    }
    to.append(String.join(",", quoted)).append("\r\n");
  }
}
