package dev.tandem.tune.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tandem.tune.journal.JournalRecord;
import dev.tandem.tune.space.Parameters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TaskTimelineTest {

  private static final long BEGAN = 1_000_000;

  private static JournalRecord started(long trial, int attempt, List<Integer> cores, long at) {
    return new JournalRecord.Started(trial, attempt, "node", cores, List.of(), 7, 7, BEGAN + at);
  }

  private static JournalRecord ended(long trial, int attempt, String state, String why, long at) {
    return new JournalRecord.Ended(trial, attempt, state, 1, false, why, 1, Double.NaN, BEGAN + at);
  }

  private static JournalRecord driver(long at) {
    return new JournalRecord.Driver(0, "host", 1, 1, BEGAN + at);
  }

  /** A trial with two cores; one without, lost with its driver and run again; one that runs. */
  private static List<JournalRecord> study() throws Exception {
    ObjectMapper json = new ObjectMapper();
    return List.of(
        new JournalRecord.Study(
            1,
            "s",
            json.readTree("{\"x\":{\"float\":[0,1]}}"),
            "minimize",
            "loss",
            1,
            JsonNodeFactory.instance.textNode("random"),
            JsonNodeFactory.instance.textNode("none"),
            "fixed",
            2,
            BEGAN),
        driver(10),
        started(0, 1, List.of(0, 1), 1000),
        started(1, 1, List.of(), 1500),
        ended(0, 1, "COMPLETE", "", 3000),
        driver(60_000),
        ended(1, 1, "RETRIED", "its driver ended", 60_000),
        started(1, 2, List.of(), 61_000),
        started(2, 1, List.of(), 62_000),
        ended(1, 2, "FAILED", "lost on node: gone", 64_000));
  }

  @Test
  void attemptsBeginAndEndWhereTheyRan() throws Exception {
    TaskTimeline timeline = TaskTimeline.of(study());
    List<String> bars = new ArrayList<>();
    for (TaskTimeline.Bar bar : timeline.bars()) {
      bars.add(
          "%d.%d %s %.1f-%.1f %s"
              .formatted(
                  bar.trial(), bar.attempt(), bar.cores(), bar.from(), bar.to(), bar.state()));
    }
    assertEquals(
        List.of(
            "0.1 [0, 1] 1.0-3.0 COMPLETE",
            // Its driver was killed at some time after the last that is known.
            "1.1 [] 1.5-3.0 LOST",
            "1.2 [] 61.0-64.0 FAILED",
            "2.1 [] 62.0-64.0 RUNNING"),
        bars);
    assertEquals(List.of(0.01, 60.0), timeline.drivers());
    assertEquals(64, timeline.seconds());
  }

  @Test
  void theTraceHasALineForEachCoreAndNoOverlaps() throws Exception {
    String text =
        ChromeTrace.json(TaskTimeline.of(study()), trial -> Parameters.of(Map.of("x", 0.5)));
    JsonNode events = new ObjectMapper().readTree(text).path("traceEvents");
    List<String> slices = new ArrayList<>();
    List<String> marks = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (JsonNode event : events) {
      switch (event.path("ph").asText()) {
        case "X" ->
            slices.add(
                "%s at %d for %d on %d"
                    .formatted(
                        event.path("name").asText(),
                        event.path("ts").asLong(),
                        event.path("dur").asLong(),
                        event.path("tid").asInt()));
        case "i" -> marks.add(event.path("name").asText());
        default -> names.add(event.at("/args/name").asText());
      }
    }
    assertEquals(
        List.of(
            "trial 0 at 1000000 for 2000000 on 0",
            "trial 0 at 1000000 for 2000000 on 1",
            "trial 1 at 1500000 for 1500000 on 1000000",
            "trial 1 at 61000000 for 3000000 on 1000000",
            "trial 2 at 62000000 for 2000000 on 1000001"),
        slices);
    assertEquals(
        List.of(
            "loss: trial 1, attempt 1",
            "loss: trial 1, attempt 2",
            "driver started",
            "driver started"),
        marks);
    assertEquals(List.of("node", "core 0", "core 1", "trials 1", "trials 2"), names);
    assertEquals(0.5, events.get(0).at("/args/parameters/x").asDouble());
  }
}
