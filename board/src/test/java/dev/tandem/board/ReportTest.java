package dev.tandem.board;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReportTest {

  private static final Report REPORT =
      new Report(
          "A <run>",
          List.of(new Report.Fact("name", "</script><b>{{data}}")),
          List.of(
              new Report.Chart(
                  "Loss",
                  "loss",
                  true,
                  List.of(
                      Report.Series.of("training", "step", List.of(1, 2), List.of(2.5f, 1.25f))))));

  @Test
  void dataSurvivesTheTripThroughThePage() throws Exception {
    JsonNode data = data(REPORT.html());
    assertEquals("</script><b>{{data}}", data.at("/facts/0/value").asText());
    assertEquals(1.25, data.at("/charts/0/series/0/y/1").asDouble());
    assertTrue(REPORT.html().contains("<title>A &lt;run></title>"));
  }

  @Test
  void thePageNeedsNothingFromOutside() {
    String html = REPORT.html();
    assertTrue(html.length() < 120_000, "it is small: " + html.length());
    assertTrue(html.contains("uPlot="), "the chart library is inside");
    assertFalse(html.contains("<script src"));
    assertFalse(html.contains("<link"));
  }

  @ParameterizedTest
  @CsvSource({
    "iife.min.js,19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "min.css,df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04"
  })
  void theChartLibraryIsTheOneThatWasPublished(String name, String digest) throws Exception {
    try (InputStream stream =
        Report.class.getResourceAsStream("/dev/tandem/board/web/vendor/uPlot-1.6.32." + name)) {
      byte[] sum = MessageDigest.getInstance("SHA-256").digest(stream.readAllBytes());
      assertEquals(digest, HexFormat.of().formatHex(sum));
    }
  }

  static JsonNode data(String html) throws Exception {
    String opening = "<script id=\"data\" type=\"application/json\">";
    int from = html.indexOf(opening) + opening.length();
    return new ObjectMapper().readTree(html.substring(from, html.indexOf("</script>", from)));
  }
}
