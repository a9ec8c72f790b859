package dev.tandem.bench.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.bench.Children;
import dev.tandem.cli.Tandem;
import dev.tandem.posix.ControlGroup;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * {@code tandem data scan}: the loader that training uses, decoding and normalisation included, in
 * a fresh process.
 */
final class TandemLoaderContender implements ReadContender {

  private final Path results;

  /**
   * @param folder for its results
   */
  TandemLoaderContender(Path folder) {
    this.results = folder.resolve("scan.json");
  }

  @Override
  public String name() {
    return "loader";
  }

  @Override
  public void prepare(ReadCase what) {
    what.database().index(true);
  }

  @Override
  public boolean hashes() {
    return false;
  }

  @Override
  public ReadOutcome run(ReadCase what, ControlGroup group) {
    long epochs = what.records() / what.database().records();
    List<Object> arguments =
        List.of("data", "scan", what.database().folder(), "--epochs", epochs, "--json", results);
    Children.run(group.wrap(Children.javaCommand(List.of(), Tandem.class.getName(), arguments)));
    try {
      JsonNode json = new ObjectMapper().readTree(results.toFile());
      return new ReadOutcome(
          json.get("samples").asLong(), json.get("seconds").asDouble(), 0, Map.of(), List.of());
    } catch (IOException e) {
      throw FileErrors.failure("read", results, e);
    }
  }
}
