package dev.tandem.board;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * A report of one run: a table of facts, then charts. Immutable.
 *
 * @param facts names and values, in the order in which they are shown
 */
public record Report(String title, List<Fact> facts, List<Chart> charts) {

  /** One row of the table. */
  public record Fact(String name, String value) {}

  /** Curves over a common axis. */
  public record Chart(String title, String horizontal, String vertical, List<Series> series) {

    public Chart {
      series = List.copyOf(series);
    }
  }

  /** One curve. */
  public record Series(String name, List<Point> points) {

    public Series {
      points = List.copyOf(points);
    }
  }

  /** One point of a curve. */
  public record Point(double x, double y) {}

  private static final String CHART_JS = "/META-INF/resources/webjars/chart.js/";

  public Report {
    facts = List.copyOf(facts);
    charts = List.copyOf(charts);
  }

  /** The page, with script and data inside. */
  public String html() {
    try {
      // "</script>" inside the data would end the script element: no tag survives this escape.
      String data =
          new ObjectMapper()
              .writeValueAsString(Map.of("facts", facts, "charts", charts))
              .replace("<", "\\u003c");
      return resource("/dev/tandem/board/report.html")
          .replace("{{title}}", escape(title))
          .replace("{{data}}", data)
          .replace("{{chart.js}}", resource(CHART_JS + chartVersion() + "/dist/chart.umd.min.js"));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The version of the chart library on the class path, as its jar says. */
  private static String chartVersion() {
    String properties = resource("/META-INF/maven/org.webjars.npm/chart.js/pom.properties");
    return properties
        .lines()
        .filter(line -> line.startsWith("version="))
        .map(line -> line.substring("version=".length()).strip())
        .findFirst()
        .orElseThrow();
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  }

  private static String resource(String name) {
    try (InputStream stream = Report.class.getResourceAsStream(name)) {
      if (stream == null) {
        throw new IllegalStateException("missing resource " + name);
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
