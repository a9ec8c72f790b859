package dev.tandem.bench.ensemble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.board.Report;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EnsemblePlotsTest {

  private static EnsembleRow cost(String pipeline, int members, double cpu) {
    return new EnsembleRow(
        "cost", pipeline, members, "0.31", cpu, null, null, 1.0, 1.0, 0, true, 1, null, "here");
  }

  private static EnsembleRow peak(String pipeline, int members, double images) {
    return new EnsembleRow(
        "peak", pipeline, members, "drain", null, null, images, images, 1.0, 0.4, true, 1, null,
        "here");
  }

  private static List<EnsembleRow> rows() {
    return new ArrayList<>(
        List.of(
            cost("duplicated", 2, 6),
            cost("all-shared", 2, 3),
            cost("duplicated", 4, 12),
            cost("all-shared", 4, 3),
            peak("duplicated", 2, 100),
            peak("all-shared", 2, 190)));
  }

  @Test
  void costsAreDrawnBesideThoseOfAllShared() {
    Report report = EnsemblePlots.of(rows());
    Report.Series duplicated = report.charts().getLast().series().getFirst();
    assertEquals("duplicated, 0.31", duplicated.name());
    assertEquals(List.of(2f, 4f), duplicated.y());
    assertEquals(2, report.charts().getFirst().series().size());
    assertTrue(report.html().contains("peak(n)"));
  }

  @Test
  void rowsHaveWhatWasMeasuredAndNothingElse() throws Exception {
    List<EnsembleRow> rows = rows();
    List<EnsembleRow> peaks = rows.subList(4, 6);
    JsonNode row = new ObjectMapper().valueToTree(rows.get(1).withPeak(peaks));
    assertEquals(190, row.path("peakImagesPerSecond").asDouble());
    assertEquals(3, row.path("cpuSecondsPer1000").asDouble());
    assertTrue(row.path("trainCpuSeconds").isMissingNode());
    assertTrue(
        new ObjectMapper()
            .valueToTree(rows.get(2).withPeak(peaks))
            .path("peakImagesPerSecond")
            .isMissingNode());
  }

  @Test
  void requestsAndReportsTravelAsLines() {
    MemberRequest request = MemberRequest.alone(5, 10).withRate(2.5).withBatch(3).withTraining();
    assertEquals(request, MemberRequest.of(request.line()));
    MemberReport report = new MemberReport(1, 2, 3, 4, 5, true, 6, 7);
    assertEquals(report, MemberReport.of(report.line()));
  }
}
