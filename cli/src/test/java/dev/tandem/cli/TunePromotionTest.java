package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TunePromotionTest {

  @TempDir private Path folder;

  @Test
  void trialsGoOnFromTheirCheckpointsAlsoAfterTheEndOfTheirDriver() throws Exception {
    Path example = TuneDriver.example("tune-promotion.yaml");
    Path study = folder.resolve("tune-promotion");
    boolean _ =
        Watchdog.within(
            Duration.ofSeconds(60),
            () -> {
              Process driver =
                  TuneDriver.start(
                      folder.resolve("log"), "tune", example, "--runs", folder, "--workers", 2);
              TuneDriver.await(study, "continue", 2);
              driver.destroyForcibly().waitFor();
              return true;
            });
    Path results = folder.resolve("results.json");
    CommandRun.done(
        "tune", example, "--runs", folder, "--workers", 2, "--resume", "--json", results);
    List<JsonNode> continued = TuneDriver.records(study, "continue");
    assertTrue(continued.size() >= 9, continued.toString());
    Map<Long, Long> last = new HashMap<>();
    long steps = 0;
    for (JsonNode report : TuneDriver.records(study, "report")) {
      long trial = report.path("trial").asLong();
      long step = report.path("step").asLong();
      assertTrue(step <= last.getOrDefault(trial, 0L) + 1, "trial %d left out".formatted(trial));
      last.put(trial, step);
      steps++;
    }
    // 32 trials of 4 epochs, at least 8 of 16, at least 2 of 64; some were lost with the driver.
    assertTrue(steps < 32 * 64 / 2, steps + " steps");
    JsonNode states = TuneDriver.json(results).path("states");
    assertEquals(32, states.path("complete").asInt() + states.path("paused").asInt());
    assertTrue(states.path("complete").asInt() >= 2, states.toString());
    assertEquals(64, last.get(TuneDriver.json(results).at("/best/number").asLong()));
    assertTrue(CommandRun.done("tune", "show", study).out().contains("paused at step 4"));
    assertTrue(
        Files.readString(study.resolve("report.html"))
            .contains("\"rungs\":[{\"step\":4,\"paused\":"));
    // With more trials, what waits may still go on.
    CommandRun.done(
        "tune", example, "--runs", folder, "--resume", "--trials", 40, "--json", results);
    assertEquals(40, TuneDriver.json(results).path("trials").size());
  }

  @Test
  @Tag("slow")
  void trainingsGoOnFromTheirCheckpoints() throws IOException {
    TuneDriver.training(folder, 200, 4);
    Path study =
        Files.writeString(
            folder.resolve("study.yaml"),
            """
            space: {schedule.rate: {float: [1e-3, 1e-2], log: true}}
            objective: {train: train.yaml}
            metric: testLoss
            trials: 3
            sampler: random
            order: arrival
            pruner: {halving: {first: 1, factor: 2}}
            needs: {cores: 0}
            workers: 2
            limits: {grace: 30s}
            """);
    Path results = folder.resolve("results.json");
    CommandRun.done("tune", study, "--runs", folder, "--json", results);
    Path journal = folder.resolve("study");
    JsonNode states = TuneDriver.json(results).path("states");
    assertEquals(3, states.path("complete").asInt() + states.path("paused").asInt());
    assertTrue(states.path("complete").asInt() >= 1, states.toString());
    assertTrue(TuneDriver.records(journal, "continue").size() >= 2);
    Map<Long, Long> last = new HashMap<>();
    for (JsonNode report : TuneDriver.records(journal, "report")) {
      long trial = report.path("trial").asLong();
      if (report.path("metrics").has("testAccuracy")) {
        assertEquals(last.getOrDefault(trial, 0L) + 1, report.path("step").asLong());
        last.put(trial, report.path("step").asLong());
      }
    }
    assertEquals(4, last.get(TuneDriver.json(results).at("/best/number").asLong()));
  }

  @Test
  void fixedOrderRefusesIt() throws IOException {
    Path example = TuneDriver.example("tune-promotion.yaml");
    CommandRun run = CommandRun.of("tune", example, "--runs", folder, "--set", "order=fixed");
    assertEquals(2, run.exitCode());
    assertTrue(run.err().contains("needs order: arrival"), run.err());
    CommandRun endless = CommandRun.of("tune", example, "--runs", folder, "--set", "budget=0");
    assertEquals(2, endless.exitCode());
    assertTrue(endless.err().contains("needs budget"), endless.err());
  }
}
