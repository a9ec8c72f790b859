package dev.tandem.bench.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReadPlanTest {

  private static final ReadDatabase CIFAR =
      new ReadDatabase("cifar", Path.of("cifar"), 1_000_000, 4_122_595_328L);
  private static final ReadDatabase IMAGENET =
      new ReadDatabase("imagenet", Path.of("imagenet"), 20_000, 4_016_000_000L);

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
