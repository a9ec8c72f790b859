package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimulateSyncTest {

  @TempDir Path folder;

  @Test
  void everyTableEveryRowAndThePageSaySimulated() throws Exception {
    Path json = folder.resolve("out.json");
    Path page = folder.resolve("out.html");
    CommandRun run =
        CommandRun.done(
            "simulate",
            "sync",
            "--network",
            "GoogLeNet,vgg16",
            "--scaling",
            "weak,strong",
            "--ranks",
            "2,6",
            "--json",
            json,
            "--report",
            page);
    assertEquals(
        1 + 2 * 2 + 1, run.out().lines().filter(line -> line.startsWith("simulated")).count());
    JsonNode results = new ObjectMapper().readTree(json.toFile());
    assertTrue(results.get("simulated").asBoolean());
    assertEquals(2 * 2 * 2 * 6, results.get("rows").size());
    results.get("rows").forEach(row -> assertTrue(row.get("simulated").asBoolean()));
    assertTrue(Files.readString(page).contains("Simulated: VGG16, weak scaling: rate"));
  }

  @Test
  void theSameSeedPrintsTheSame() {
    String first = CommandRun.done("simulate", "sync", "--ranks", "6").out();
    assertEquals(first, CommandRun.done("simulate", "sync", "--ranks", "6").out());
  }

  @Tag("slow")
  @Test
  void whatIsMeasuredHereIsSaidAndUsed() throws Exception {
    Path json = folder.resolve("out.json");
    CommandRun run =
        CommandRun.done("simulate", "sync", "--measure", "--ranks", "24", "--json", json);
    assertTrue(run.out().contains("measured here"), run.out());
    JsonNode noise = new ObjectMapper().readTree(json.toFile()).at("/parameters/noise");
    assertTrue(noise.get("timerSlackMicros").asDouble() > 0);
  }

  @Test
  void wrongArgumentsAreOneLine() throws Exception {
    CommandRun.failed(2, "simulate", "sync", "--ranks", 0);
    CommandRun.failed(2, "simulate", "sync", "--scaling", "strong", "--ranks", 24_577);
    CommandRun.failed(2, "simulate", "sync", "--network", "LeNet");
    CommandRun.failed(2, "simulate", "sync", "--policy", "magic");
    CommandRun.failed(2, "simulate", "sync", "--scaling", "sideways");
    CommandRun.failed(2, "simulate", "sync", "--parameters", folder.resolve("missing"));
    CommandRun.failed(2, "simulate", "sync", "--report", folder.resolve("missing/out.html"));
  }
}
