package dev.tandem.board;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunReportTest {

  @TempDir Path folder;

  private static Map<String, String> facts(Report report) {
    return report.facts().stream().collect(Collectors.toMap(Report.Fact::name, Report.Fact::value));
  }

  @Test
  void aRunOfVersion2IsShownWithAllThatItsFolderHolds() throws Exception {
    Report report = RunReport.of(RunFixture.second(folder.resolve("mine"), "done"));
    Map<String, String> facts = facts(report);
    assertEquals("done", facts.get("state"));
    assertEquals("./tandem train 'my own.yaml' -n 2", facts.get("command"));
    assertEquals("2 min 05 s", facts.get("duration"));
    assertEquals("host1 (2 ranks, 4 processors, 8.0 GiB, a <b>CPU</b>)", facts.get("machine"));
    assertEquals("0.1.0, commit abc1234", facts.get("tandem"));
    assertFalse(report.config().contains("abc"), "secrets are not shown");
    assertEquals(
        List.of("Loss", "Accuracy", "Learning rate", "Gradient norm", "Throughput"),
        report.charts().stream().map(Report.Chart::title).toList());
    Report.Series loss = report.charts().getFirst().series().getFirst();
    assertEquals(40, loss.y().size(), "steps that were made again are there once");
    assertEquals(List.of("step", "samples", "time"), List.copyOf(loss.x().keySet()));
    assertEquals(640f, report.charts().getLast().series().getFirst().y().getFirst());
    assertEquals(
        List.of("Classes", "Most frequent mistakes", "Ranks", "What happened"),
        report.tables().stream().map(Report.Table::title).toList());
    assertEquals(List.of("<script>dog", 3L, 4L, 75.0), report.tables().get(0).rows().get(1));
    assertEquals(List.of("bird", "<script>dog", 2L), report.tables().get(1).rows().get(0));
    assertEquals(List.of(0L, 2L, 2L), report.confusion().orElseThrow().counts().get(2));
  }

  @Test
  void soIsOneOfVersion1() throws Exception {
    Path run = RunFixture.first(folder.resolve("old"));
    Report report = RunReport.of(run);
    assertEquals("done", facts(report).get("state"));
    assertEquals("3", facts(report).get("ranks"));
    assertEquals(4, report.charts().size());
    RunSummary summary = RunSummary.of(RunInfo.of(run).orElseThrow());
    assertEquals(1, summary.version());
    assertEquals(0.5, summary.accuracy());
    assertEquals(1, summary.step());
  }

  @Test
  void runsThatNobodyWorksOnAreLost() throws Exception {
    RunFixture.second(folder.resolve("lost"), "running");
    RunFixture.second(folder.resolve("good"), "done");
    Files.createDirectories(folder.resolve("other"));
    Map<String, String> states =
        RunInfo.below(folder).stream().collect(Collectors.toMap(RunInfo::name, RunInfo::state));
    assertEquals(Map.of("lost", "lost", "good", "done"), states);
  }

  /** Every chart is drawn and nothing is reported to the console, in light and in dark. */
  @Test
  void theBrowserShowsIt() throws Exception {
    Optional<Path> browser = Browser.find();
    if (browser.isEmpty()) {
      System.out.println("the report is not opened: there is no chromium on PATH");
    }
    assumeTrue(browser.isPresent(), "there is no chromium on PATH");
    Path run = RunFixture.second(folder.resolve("mine"), "done");
    Path page = folder.resolve("report.html");
    Files.writeString(page, RunReport.of(run).html());
    for (String dark : List.of("--disable-features=Dark", "--force-dark-mode")) {
      String dom = Browser.dom(browser.get(), page, folder, dark);
      assertTrue(dom.contains("data-drawn=\"5\""), dom);
      assertFalse(dom.contains("CONSOLE"), dom);
      assertFalse(dom.contains("<script>dog"), "text from files is no markup");
    }
  }
}
