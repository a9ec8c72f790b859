package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers of millions of records, which run by other flags and fetch farther ahead. */
class DataReadLongTest {

  private static final int RECORDS = 999;
  private static final int EPOCHS = 5000;

  @TempDir Path folder;

  private JsonNode read(Object... words) throws Exception {
    Path json = folder.resolve("read.json");
    List<Object> command =
        new ArrayList<>(List.of("data", "read", folder.resolve("cifar"), "--json", json));
    command.addAll(List.of(words));
    CommandRun.done(command.toArray());
    return new ObjectMapper().readTree(json.toFile());
  }

  @Test
  void manyTimesAroundIsTheSameManyTimes() throws Exception {
    CommandRun.done(
        "data", "make", "--kind", "cifar", "--records", RECORDS, folder.resolve("cifar"));
    JsonNode once = read("--mode", "lmdb", "--batch", RECORDS, "--iterations", 1);
    // Batches that do not fit the number of records, so that they wrap within.
    int batch = 1000;
    long iterations = (long) RECORDS * EPOCHS / batch;
    JsonNode many =
        read("--mode", "auto", "--readers", 2, "--batch", batch, "--iterations", iterations);
    assertEquals("prov", many.path("mode").asText());
    assertEquals(iterations * batch, many.path("records").asLong());
    long expected = EPOCHS * Long.parseUnsignedLong(once.path("checksum").asText(), 16);
    assertEquals("%016x".formatted(expected), many.path("checksum").asText());
  }
}
