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

class TunePopulationTest {

  @TempDir private Path folder;

  /** What happened to each trial that does not depend on when. */
  private static List<String> lineage(Path study) throws IOException {
    return TuneDriver.records(study, "lineage").stream()
        .map(
            each ->
                "%s from %s at %s with %s until %s"
                    .formatted(
                        each.path("trial"),
                        each.path("parent"),
                        each.path("step"),
                        each.path("params"),
                        each.path("until")))
        .toList();
  }

  private JsonNode trials(Path example, String name, Object... more) throws IOException {
    Path results = folder.resolve(name + ".json");
    Object[] usual = {"tune", example, "--runs", folder, "--name", name, "--json", results};
    Object[] all = new Object[usual.length + more.length];
    System.arraycopy(usual, 0, all, 0, usual.length);
    System.arraycopy(more, 0, all, usual.length, more.length);
    CommandRun.done(all);
    return TuneDriver.json(results).path("trials");
  }

  @Test
  void badTrialsGoOnFromGoodOnesTheSameOnAnyNumberOfWorkersAndAfterAKill() throws Exception {
    Path example = TuneDriver.example("tune-population.yaml");
    JsonNode one = trials(example, "one", "--workers", 1);
    List<String> expected = lineage(folder.resolve("one"));
    assertTrue(expected.size() >= 8, expected.toString());
    boolean _ =
        Watchdog.within(
            Duration.ofSeconds(60),
            () -> {
              Process driver =
                  TuneDriver.start(
                      folder.resolve("log"),
                      "tune",
                      example,
                      "--runs",
                      folder,
                      "--name",
                      "two",
                      "--workers",
                      2);
              TuneDriver.await(folder.resolve("two"), "lineage", 3);
              driver.destroyForcibly().waitFor();
              return true;
            });
    JsonNode two = trials(example, "two", "--workers", 2, "--resume");
    assertEquals(expected, lineage(folder.resolve("two")));
    assertEquals(8, two.size());
    Map<Long, Long> last = new HashMap<>();
    for (JsonNode report : TuneDriver.records(folder.resolve("one"), "report")) {
      long trial = report.path("trial").asLong();
      assertEquals(last.getOrDefault(trial, 0L) + 1, report.path("step").asLong());
      last.put(trial, report.path("step").asLong());
    }
    for (int number = 0; number < 8; number++) {
      assertEquals("complete", one.path(number).path("state").asText());
      assertEquals(40, last.get((long) number));
      assertEquals(one.path(number).path("value"), two.path(number).path("value"));
      assertEquals(one.path(number).path("parameters"), two.path(number).path("parameters"));
    }
    String shown = CommandRun.done("tune", "show", folder.resolve("one")).out();
    assertTrue(shown.contains(" at step 5"), shown);
    assertTrue(
        Files.readString(folder.resolve("one/report.html")).contains("\"takeovers\":[{\"trial\":"));
  }

  @Test
  void withoutWaitingEveryTrialComesToItsEnd() throws IOException {
    Path example = TuneDriver.example("tune-population.yaml");
    JsonNode trials = trials(example, "async", "--workers", 2, "--set", "order=arrival");
    assertEquals(8, trials.size());
    trials.forEach(each -> assertEquals("complete", each.path("state").asText()));
    assertTrue(!lineage(folder.resolve("async")).isEmpty());
  }

  @Test
  @Tag("slow")
  void trainingsGoOnFromCheckpointsOfOthers() throws IOException {
    // An epoch takes longer than to end a process.
    TuneDriver.training(folder, 1000, 3);
    Path study =
        Files.writeString(
            folder.resolve("study.yaml"),
            """
            space: {schedule.rate: {float: [1e-4, 1e-2], log: true}}
            objective: {train: train.yaml}
            metric: testLoss
            trials: 4
            sampler: random
            pruner: {pbt: {interval: 1}}
            needs: {cores: 0}
            workers: 2
            limits: {grace: 30s}
            """);
    JsonNode trials = trials(study, "trainings");
    trials.forEach(each -> assertEquals("complete", each.path("state").asText(), each.toString()));
    Path place = folder.resolve("trainings");
    List<JsonNode> lineage = TuneDriver.records(place, "lineage");
    assertEquals(2, lineage.size(), lineage.toString());
    for (JsonNode each : lineage) {
      Path checkpoint = Path.of(each.path("checkpoint").asText());
      assertTrue(Files.isRegularFile(checkpoint.getParent().resolveSibling("run.json")));
    }
  }

  @Test
  void whatCannotBeIsRefused() {
    Path example = TuneDriver.example("tune-population.yaml");
    refuses("needs budget", example, "budget=0");
    refuses("needs order: arrival", example, "pruner={pbt: {mode: async}}");
    refuses("8 trials of pruner.pbt need --window 8", example, "window=4");
    refuses("expected sync or async", example, "pruner={pbt: {mode: often}}");
  }

  private void refuses(String what, Path example, String setting) {
    CommandRun run =
        CommandRun.of("tune", example, "--runs", folder, "--workers", 1, "--set", setting);
    assertEquals(2, run.exitCode());
    assertTrue(run.err().contains(what), run.err());
  }
}
