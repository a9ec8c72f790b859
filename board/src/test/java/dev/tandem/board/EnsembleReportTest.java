package dev.tandem.board;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnsembleReportTest {

  @TempDir Path folder;

  private Path ensemble() throws Exception {
    RunFixture.second(folder.resolve("all-small"), "done");
    RunFixture.second(folder.resolve("all-large"), "running");
    Path ensemble = Files.createDirectory(folder.resolve("all"));
    Files.writeString(
        ensemble.resolve("ensemble.json"),
        """
        {"version":1,"pipeline":"all-shared","state":"running","members":[
         {"name":"small","run":"all-small","state":"done"},
         {"name":"large","run":"all-large","state":"running"},
         {"name":"later","run":"all-later","state":"queued"}]}
        """);
    Files.writeString(ensemble.resolve("ensemble.yaml"), "pipeline: all-shared\n");
    return ensemble;
  }

  private static Report.Chart chart(Report report, String title) {
    return report.charts().stream()
        .filter(chart -> chart.title().equals(title))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void membersAreInCommonCharts() throws Exception {
    Report report = EnsembleReport.of(ensemble());
    for (String title : List.of("Test accuracy", "Test loss", "Training loss", "Throughput")) {
      assertEquals(
          List.of("small", "large"),
          chart(report, title).series().stream().map(Report.Series::name).toList());
    }
    assertEquals(75f, chart(report, "Test accuracy").series().getFirst().y().getLast());
    List<List<Object>> rows = report.tables().getFirst().rows();
    assertEquals(List.of("later", "queued", "all-later", 0L, "", "", ""), rows.getLast());
    assertEquals("75.00%", rows.getFirst().get(4));
    assertTrue(report.html().contains("all-shared"));
  }

  @Test
  void sharedSamplesHaveQueuesAndPeaks() throws Exception {
    Path ensemble = ensemble();
    StringBuilder lines = new StringBuilder();
    for (int second = 0; second < 5; second++) {
      lines.append(
          """
          {"seconds":%d,"prepared":%d,"busySeconds":%d,"cpuSeconds":%d,"threads":2,\
          "limit":%d,"head":0,"window":64,"consumers":[\
          {"name":"small","present":true,"queue":%d,"rate":40.0},\
          {"name":"large","present":%b,"queue":7,"rate":10.0}]}
          """
              .formatted(
                  second, 100 * second, second, second, second < 3 ? 0 : 1, second, second < 4));
    }
    Files.writeString(ensemble.resolve("queues.jsonl"), lines);
    Report report = EnsembleReport.of(ensemble);
    Report.Chart queues = chart(report, "Queue lengths");
    assertEquals(List.of(0f, 1f, 2f, 3f, 4f), queues.series().getFirst().y());
    assertEquals(4, queues.series().getLast().y().size(), "a member that left has no queue");
    Report.Chart preparation = chart(report, "Preparation");
    assertEquals(List.of(200f, 200f, 100f, 100f), preparation.series().getFirst().y());
    assertEquals(List.of(100f, 100f, 100f, 100f), preparation.series().getLast().y());
    String facts = report.facts().toString();
    assertTrue(facts.contains("400 samples by 2 threads; 10.00 s of processors"), facts);
  }

  @Test
  void anotherFolderIsRefusedInOneLine() throws Exception {
    Path other = Files.createDirectory(folder.resolve("other"));
    assertFalse(EnsembleReport.in(other));
    Files.writeString(other.resolve("ensemble.json"), "{}");
    assertTrue(
        assertThrows(UsageException.class, () -> EnsembleReport.of(other))
            .getMessage()
            .contains("is no record of an ensemble"));
  }
}
