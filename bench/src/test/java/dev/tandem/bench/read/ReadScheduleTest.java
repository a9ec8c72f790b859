package dev.tandem.bench.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReadScheduleTest {

  private static final ReadDatabase CIFAR =
      new ReadDatabase("cifar", Path.of("cifar"), 1_000_000, 4_122_595_328L);
  private static final ReadDatabase IMAGENET =
      new ReadDatabase("imagenet", Path.of("imagenet"), 20_000, 4_016_000_000L);

  private long now;

  private static List<ReadPlan.Entry> full() {
    return ReadPlan.full(8192).entries(CIFAR, IMAGENET, true);
  }

  private static ReadPlan.Entry shuffled(int which) {
    return full().stream()
        .filter(entry -> entry.what().access() == ReadAccess.SHUFFLED)
        .toList()
        .get(which);
  }

  @Test
  void onlyTheFirstRoundHasAllContenders() {
    ReadPlan.Entry entry = shuffled(0);
    assertTrue(entry.contenders(0).contains("pylmdb"));
    assertEquals(List.of("auto", "liblmdb-nordahead", "liblmdb"), entry.contenders(1));
    assertEquals(List.of("liblmdb", "liblmdb-nordahead", "auto"), entry.contenders(2));
  }

  @Test
  void theComparisonWithTheFewestRoundsComesFirstThenTheShortest() {
    ReadSchedule schedule = new ReadSchedule(Duration.ofSeconds(200), () -> now);
    List<ReadPlan.Entry> entries = List.of(shuffled(0), shuffled(1), shuffled(2));
    for (int i = 0; i < entries.size(); i++) {
      // 45, 30 and 15 s for the three contenders of later rounds.
      for (String name : entries.get(i).contenders(0)) {
        schedule.took(entries.get(i), name, 15 - 5 * i);
      }
    }
    now = Duration.ofSeconds(60).toNanos();
    assertEquals(45, schedule.expected(entries.getFirst(), 1), 1e-9);
    assertEquals(List.of(1, 2, 2), further(schedule, entries, 3));
    assertEquals(List.of(1, 1, 1), further(schedule, entries, 2));
    now = Duration.ofSeconds(170).toNanos();
    assertEquals(List.of(0, 0, 2), further(schedule, entries, 3));
    assertTrue(schedule.hasTime(entries.get(1), 1));
    now = Duration.ofSeconds(171).toNanos();
    assertFalse(schedule.hasTime(entries.get(1), 1));
  }

  private static List<Integer> further(
      ReadSchedule schedule, List<ReadPlan.Entry> entries, int most) {
    Map<ReadPlan.Entry, Integer> rounds = schedule.furtherRounds(entries, most);
    return entries.stream().map(entry -> rounds.getOrDefault(entry, 0)).toList();
  }

  @Test
  void whatAutoChoseIsCounted() {
    ReadSamples samples = new ReadSamples(shuffled(0).what());
    for (String mode : List.of("prov", "coal", "prov")) {
      samples.add("auto", outcome(1, Map.of("mode", mode)));
    }
    samples.add("prov", outcome(1, Map.of("mode", "prov")));
    samples.add("liblmdb", outcome(1, Map.of()));
    assertEquals(
        Arrays.asList("2 prov, 1 coal", null, null),
        samples.rows().stream().map(ReadRow::chosen).toList());
  }

  private static ReadOutcome outcome(double seconds, Map<String, String> fields) {
    return new ReadOutcome(1, seconds, 0, fields, List.of());
  }
}
