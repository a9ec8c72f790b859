package dev.tandem.bench.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.bench.Children;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark runs, all contenders read the same, and it cleans up; speeds say nothing here. */
class BenchReadTest {

  @TempDir Path folder;

  @Test
  @Tag("slow") // Makes a gigabyte of databases; as root it changes the read-ahead for a while.
  void allContendersReadTheSame() throws Exception {
    assumeTrue(Children.installed("gcc"), "gcc is not installed");
    assumeTrue(Children.installed("fio"), "fio is not installed");
    Path disk = Files.createDirectory(folder.resolve("disk"));
    Path json = folder.resolve("out.json");
    CommandRun run =
        CommandRun.done("read", "--quick", "--dir", disk, "--case", "cold", "--json", json);
    assertTrue(run.out().contains("to liblmdb"), run.out());
    JsonNode rows = new ObjectMapper().readTree(json.toFile());
    assertTrue(rows.size() > 10, run.out());
    assertEquals("cifar", rows.at("/0/database").asText());
    assertEquals("strided", rows.at("/0/access").asText());
    try (Stream<Path> left = Files.list(disk)) {
      assertEquals(0, left.count());
    }
  }

  @Test
  @Tag("slow") // Sixteen times two processes with the engine.
  void everyModeTrainsToTheSameParameters() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    Path json = folder.resolve("out.json");
    CommandRun run = CommandRun.done("read", "--train", "--quick", "--dir", disk, "--json", json);
    assertTrue(run.out().contains("all ended with the same parameters"), run.out());
    JsonNode rows = new ObjectMapper().readTree(json.toFile());
    assertTrue(rows.size() >= 8, run.out());
    for (JsonNode row : rows) {
      assertTrue(row.path("forwardMilliseconds").asDouble() > 0, row.toString());
      assertTrue(row.path("imagesPerSecond").asDouble() > 0, row.toString());
    }
    try (Stream<Path> left = Files.list(disk)) {
      assertEquals(0, left.count());
    }
  }

  @Test
  void wrongArgumentsAreOneLine() {
    CommandRun.failed(2, "read", "--dir", folder.resolve("missing"));
    CommandRun.failed(2, "read", "--rounds", 0, "--dir", folder);
    CommandRun.failed(2, "read", "--case", "(", "--dir", folder);
  }
}
