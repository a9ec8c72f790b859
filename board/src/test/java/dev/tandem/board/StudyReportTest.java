package dev.tandem.board;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.posix.DurableFiles;
import dev.tandem.tune.journal.JournalFile;
import dev.tandem.tune.journal.JournalRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StudyReportTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;

  private static JsonNode json(String text) throws Exception {
    return JSON.readTree(text);
  }

  /** Twelve trials: one retried, one pruned, one failed, one that still runs. */
  private void study() throws Exception {
    List<JournalRecord> records = new ArrayList<>();
    records.add(
        new JournalRecord.Study(
            1,
            "<script>dog",
            json(
                "{\"rate\":{\"float\":[0.001,1],\"log\":true},\"units\":{\"int\":[1,64]},"
                    + "\"kind\":[\"a\",\"b\"]}"),
            "maximize",
            "accuracy",
            7,
            json("\"tpe\""),
            json("\"median\""),
            "fixed",
            2,
            1_000_000));
    for (int trial = 0; trial < 12; trial++) {
      long begin = 1_000_000 + 1000L * trial;
      records.add(
          new JournalRecord.Asked(
              trial,
              Map.of(
                  "rate",
                  0.001 * Math.pow(1.7, trial),
                  "units",
                  5 * trial + 1,
                  "kind",
                  trial % 2 == 0 ? "a" : "b"),
              trial,
              0));
      int attempts = trial == 3 ? 2 : 1;
      for (int attempt = 1; attempt <= attempts; attempt++) {
        records.add(
            new JournalRecord.Started(
                trial, attempt, "node", List.of(trial % 2), List.of(), 1, 1, begin));
        for (long step = 1; step <= 3; step++) {
          records.add(
              new JournalRecord.Reported(
                  trial, attempt, step, Map.of("accuracy", trial == 5 ? Double.NaN : 0.1 * step)));
        }
        if (trial == 11) {
          continue;
        }
        String state = trial == 4 ? "PRUNED" : trial == 5 ? "FAILED" : "COMPLETE";
        records.add(
            new JournalRecord.Ended(
                trial,
                attempt,
                attempt < attempts ? JournalRecord.Ended.RETRIED : state,
                trial == 5 ? Double.NaN : 0.05 * trial,
                trial == 5,
                "",
                0.9,
                0.8,
                begin + 900));
      }
    }
    try (JournalFile journal =
        JournalFile.open(DurableFiles.system(), folder.resolve(JournalFile.NAME), note -> {})) {
      records.forEach(journal::append);
      journal.sync();
    }
  }

  @Test
  void theJournalBecomesAPage() throws Exception {
    study();
    assertTrue(StudyReport.in(folder));
    JsonNode page = data(StudyReport.html(folder));
    assertEquals(12, page.get("trials").size());
    assertEquals(13, page.get("attempts").size());
    assertEquals("RUNNING", page.get("trials").get(11).get("state").asText());
    assertTrue(page.get("trials").get(5).get("value").isNull());
    assertEquals(3, page.get("trials").get(3).get("steps").size(), "of the last attempt");
    assertFalse(page.get("minimize").asBoolean());
    assertEquals(3, page.get("importance").size());
    assertTrue(page.get("facts").toString().contains("10: "), page.get("facts").toString());
    assertFalse(StudyReport.in(folder.resolve("none")));
  }

  private static JsonNode data(String html) throws Exception {
    String begin = "type=\"application/json\">";
    int from = html.indexOf(begin) + begin.length();
    return json(html.substring(from, html.indexOf("</script>", from)));
  }

  @Test
  void theBrowserDrawsEveryPlotWithItsTable() throws Exception {
    Optional<Path> browser = Browser.find();
    if (browser.isEmpty()) {
      System.out.println("the report is not opened: there is no chromium on PATH");
    }
    assumeTrue(browser.isPresent(), "there is no chromium on PATH");
    study();
    Path page = folder.resolve("report.html");
    Files.writeString(page, StudyReport.html(folder));
    String dom = Browser.dom(browser.get(), page, folder, "--disable-features=Dark");
    // History, curves, parallel, importance, contour, three slices, Gantt, cores, rungs.
    assertTrue(dom.contains("data-plots=\"11\""), dom);
    assertEquals(11, dom.split("<details>", -1).length - 1, "a table for each");
    assertEquals(11, dom.split("<canvas", -1).length - 1);
    assertFalse(dom.contains("CONSOLE"), dom);
    assertFalse(dom.contains("<script>dog"), "text from files is no markup");
  }
}
