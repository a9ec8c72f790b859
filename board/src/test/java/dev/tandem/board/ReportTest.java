package dev.tandem.board;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportTest {

  private static final Report REPORT =
      new Report(
          "A <run>",
          List.of(new Report.Fact("name", "</script><b>")),
          List.of(
              new Report.Chart(
                  "Loss",
                  "step",
                  "loss",
                  List.of(
                      new Report.Series(
                          "training",
                          List.of(new Report.Point(1, 2.5), new Report.Point(2, 1.25)))))));

  @Test
  void dataSurvivesTheTripThroughThePage() throws Exception {
    String html = REPORT.html();
    String opening = "<script id=\"data\" type=\"application/json\">";
    int from = html.indexOf(opening) + opening.length();
    JsonNode data =
        new ObjectMapper().readTree(html.substring(from, html.indexOf("</script>", from)));
    assertEquals("</script><b>", data.at("/facts/0/value").asText());
    assertEquals(1.25, data.at("/charts/0/series/0/points/1/y").asDouble());
    assertTrue(html.contains("<title>A &lt;run></title>"));
  }

  @Test
  void thePageNeedsNothingFromOutside() {
    String html = REPORT.html();
    assertTrue(html.length() > 100_000, "the chart library is inside");
    assertFalse(html.contains("<script src"));
    assertFalse(html.contains("<link"));
    assertFalse(html.contains("{{"), "every placeholder is filled");
  }
}
