package dev.tandem.bench.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.tune.space.Parameters;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GlyphTableTest {

  private static final Parameters MIDDLE =
      Parameters.of(Map.of("rate", 3, "momentum", 2, "decay", 1, "batch", 0));

  @Test
  void everyRowIsThatOfItsSettings() throws Exception {
    List<String> lines;
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                getClass().getResourceAsStream("glyph-table.csv"), StandardCharsets.UTF_8))) {
      lines = reader.lines().toList();
    }
    assertEquals(GlyphTable.header(), lines.getFirst());
    assertEquals(512, GlyphTable.rows());
    assertEquals(GlyphTable.rows() + 1, lines.size());
    Set<String> seen = new HashSet<>();
    for (int row = 0; row < GlyphTable.rows(); row++) {
      String settings = GlyphTable.settings(row).text();
      assertTrue(lines.get(row + 1).startsWith(settings + ","), settings);
      seen.add(settings);
    }
    assertEquals(GlyphTable.rows(), seen.size());
    assertEquals(
        new GlyphTable.Settings(0.01, 0.9, 0.0001, 8), GlyphTable.settings(GlyphTable.row(MIDDLE)));
  }

  @Test
  void trainingLearnsAndSomeSettingsLearnBetter() {
    GlyphTable table = GlyphTable.recorded();
    double[] sorted = table.sortedLastErrors();
    assertTrue(sorted[0] < 0.3, "best error " + sorted[0]);
    assertTrue(sorted[sorted.length - 1] > 0.8, "worst error " + sorted[sorted.length - 1]);
    assertTrue(table.error(GlyphTable.row(MIDDLE), 1) > table.lastError(GlyphTable.row(MIDDLE)));
    assertTrue(table.function().regret(MIDDLE) > 0);
  }
}
