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

/** The benchmark runs and cleans up; what it measures here says nothing. */
class BenchLmdbTest {

  @TempDir Path folder;

  @Test
  @Tag("slow") // As root it empties the page cache of the machine.
  void runsAgainstItsPeers() throws Exception {
    assumeTrue(Children.installed("gcc"), "gcc is not installed");
    assumeTrue(Children.installed("fio"), "fio is not installed");
    Path disk = Files.createDirectory(folder.resolve("disk"));
    Path json = folder.resolve("out.json");
    CommandRun run =
        CommandRun.done("lmdb", "--records", 3_000, "--rounds", 2, "--dir", disk, "--json", json);
    assertTrue(run.out().contains("3,000 CIFAR-like records"), run.out());
    JsonNode rows = new ObjectMapper().readTree(json.toFile());
    assertEquals("write", rows.at("/0/case").asText());
    assertEquals("liblmdb", rows.at("/0/contender").asText());
    assertEquals("index", rows.at("/2/case").asText());
    assertEquals("fio", rows.at("/2/contender").asText());
    try (Stream<Path> left = Files.list(disk)) {
      assertEquals(0, left.count());
    }
  }

  @Test
  void wrongArgumentsAreOneLine() {
    CommandRun.failed(2, "lmdb", "--dir", folder.resolve("missing"));
    CommandRun.failed(2, "lmdb", "--records", 0, "--dir", folder);
  }
}
