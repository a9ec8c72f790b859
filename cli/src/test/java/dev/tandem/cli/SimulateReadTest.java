package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimulateReadTest {

  @TempDir Path folder;

  @Test
  void everyTableAndEveryRowSaysSimulated() throws Exception {
    Path json = folder.resolve("out.json");
    CommandRun run = CommandRun.done("simulate", "read", "--processes", "1,72", "--json", json);
    assertEquals(3, run.out().lines().filter(line -> line.startsWith("simulated")).count());
    JsonNode results = new ObjectMapper().readTree(json.toFile());
    assertTrue(results.get("simulated").asBoolean());
    assertEquals(2 * 2 * 7, results.get("rows").size());
    results.get("rows").forEach(row -> assertTrue(row.get("simulated").asBoolean()));
  }

  @Test
  void aCalibrationCanBeMeasuredWrittenAndReadAgain() throws Exception {
    Path first = folder.resolve("first.json");
    CommandRun.done(
        "simulate",
        "read",
        "--database",
        "cifar",
        "--processes",
        36,
        "--probe",
        folder,
        "--json",
        first);
    JsonNode results = new ObjectMapper().readTree(first.toFile());
    assertTrue(results.at("/calibration/origin").asText().contains("measured here"));
    Path calibration = folder.resolve("calibration.json");
    new ObjectMapper().writeValue(calibration.toFile(), results.get("calibration"));
    Path second = folder.resolve("second.json");
    CommandRun.done(
        "simulate",
        "read",
        "--database",
        "cifar",
        "--processes",
        36,
        "--calibration",
        calibration,
        "--json",
        second);
    assertEquals(results.get("rows"), new ObjectMapper().readTree(second.toFile()).get("rows"));
  }

  @Test
  void wrongArgumentsAreOneLine() {
    CommandRun.failed(2, "simulate", "read", "--processes", 0);
    CommandRun.failed(2, "simulate", "read", "--database", "mnist");
    CommandRun.failed(2, "simulate", "read", "--calibration", folder.resolve("missing"));
  }
}
