package dev.tandem.bench.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.bench.Children;
import dev.tandem.cli.Tandem;
import dev.tandem.posix.ControlGroup;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** {@code tandem data read} as the launcher starts it, flags included, in a fresh process. */
final class TandemReadContender implements ReadContender {

  private final String mode;
  private final boolean indexAtHand;
  private final Path results;

  /**
   * @param indexAtHand whether the index lies beside the database; else it is built on the way
   * @param folder for its results
   */
  TandemReadContender(String mode, boolean indexAtHand, Path folder) {
    this.mode = mode;
    this.indexAtHand = indexAtHand;
    this.results = folder.resolve("read.json");
  }

  @Override
  public String name() {
    return indexAtHand ? mode : mode + "-noindex";
  }

  /** Building an index reads a good part of the database, which is not cold then. */
  @Override
  public void prepare(ReadCase what) {
    what.database().index(indexAtHand);
  }

  @Override
  public ReadOutcome run(ReadCase what, ControlGroup group) {
    Children.run(group.wrap(command(what)));
    return outcome(what);
  }

  private List<String> command(ReadCase what) {
    List<Object> arguments =
        new ArrayList<>(List.of("data", "read", what.database().folder(), "--mode", mode));
    arguments.addAll(List.of("--readers", what.processes(), "--batch", what.batch()));
    arguments.addAll(List.of("--iterations", what.iterations()));
    arguments.addAll(List.of("--access", what.access().order(), "--json", results));
    return Children.javaCommand(Children.shortFlags(), Tandem.class.getName(), arguments);
  }

  private ReadOutcome outcome(ReadCase what) {
    try {
      JsonNode json = new ObjectMapper().readTree(results.toFile());
      double seconds = what.records() / json.get("recordsPerSecond").asDouble();
      long checksum = Long.parseUnsignedLong(json.get("checksum").asText(), 16);
      List<Map<String, String>> readers = new ArrayList<>();
      json.get("perReader").forEach(reader -> readers.add(fields(reader)));
      return new ReadOutcome(what.records(), seconds, checksum, fields(json), readers);
    } catch (IOException e) {
      throw FileErrors.failure("read", results, e);
    }
  }

  private static Map<String, String> fields(JsonNode json) {
    Map<String, String> fields = new HashMap<>();
    json.properties().forEach(field -> fields.put(field.getKey(), text(field.getValue())));
    return fields;
  }

  /** Lists of numbers as numbers with spaces between. */
  private static String text(JsonNode value) {
    List<String> items = new ArrayList<>();
    value.forEach(item -> items.add(item.asText()));
    return value.isArray() ? String.join(" ", items) : value.asText();
  }
}
