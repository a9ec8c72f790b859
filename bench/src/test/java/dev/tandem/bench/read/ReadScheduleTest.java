package dev.tandem.bench.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
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

  private static ReadPlan.Entry shuffled() {
    return full().stream()
        .filter(entry -> entry.what().access() == ReadAccess.SHUFFLED)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void onlyTheFirstRoundHasThoseOfWhomNothingIsAsked() {
    ReadPlan.Entry entry = shuffled();
    assertTrue(entry.contenders(0).contains("pylmdb"));
    assertEquals(List.of("auto", "liblmdb-nordahead", "liblmdb"), entry.contenders(1));
    assertEquals(List.of("liblmdb", "liblmdb-nordahead", "auto"), entry.contenders(2));
  }

  @Test
  void everyDemandIsMeasuredInEveryRound() {
    ReadPlan plan = ReadPlan.full(8192);
    List<ReadPlan.Entry> entries = full();
    entries.add(plan.latency(CIFAR));
    Set<String> first = demands(entries, 0);
    assertTrue(first.size() > 40, first.toString());
    assertEquals(first, demands(entries, 1));
  }

  /** The demands for which a round has what they compare; speeds do not matter. */
  private static Set<String> demands(List<ReadPlan.Entry> entries, int round) {
    List<ReadRow> rows =
        entries.stream()
            .flatMap(
                entry -> {
                  ReadSamples samples = new ReadSamples(entry.what());
                  entry
                      .contenders(round)
                      .forEach(name -> samples.add(name, name.equals("auto") ? 1 : 2));
                  return samples.rows().stream();
                })
            .toList();
    return ReadFloors.check(rows).stream()
        .map(ReadFloors.Verdict::what)
        .collect(Collectors.toSet());
  }

  @Test
  void aComparisonThatWouldEndTooLateIsLeftOutOfLaterRounds() {
    ReadSchedule schedule = new ReadSchedule(Duration.ofSeconds(100), () -> now);
    ReadPlan.Entry entry = shuffled();
    for (String name : entry.contenders(0)) {
      schedule.took(entry, name, 10);
    }
    now = Duration.ofSeconds(60).toNanos();
    assertEquals(30, schedule.expected(entry, 1), 1e-9);
    assertTrue(schedule.hasTime(entry, 1));
    now = Duration.ofSeconds(71).toNanos();
    assertFalse(schedule.hasTime(entry, 1));
    assertTrue(schedule.hasTime(entry, 0), "the first round has everything");
  }
}
