package dev.tandem.board;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A page of facts, charts and tables in one file, which opens from disk without a network.
 * Immutable. Text is shown as it is: nothing in it becomes markup.
 *
 * @param facts names and values, in the order in which they are shown
 * @param config a configuration, shown folded; empty if there is none
 */
public record Report(
    String title,
    List<Fact> facts,
    String config,
    List<Chart> charts,
    List<Table> tables,
    Optional<Confusion> confusion) {

  /** One row of the table of facts. */
  public record Fact(String name, String value) {}

  /**
   * Curves over a common axis.
   *
   * @param vertical what the vertical axis shows, with its unit
   * @param log whether a reader may choose a logarithmic vertical axis
   */
  public record Chart(String title, String vertical, boolean log, List<Series> series) {

    public Chart {
      series = List.copyOf(series);
    }
  }

  /**
   * One curve.
   *
   * @param x the points' places, ascending, by the name of a horizontal axis; all as long as y
   * @param y the points' values
   * @param smooth whether a reader may smooth it
   */
  public record Series(String name, Map<String, List<Number>> x, List<Float> y, boolean smooth) {

    public Series {
      Map<String, List<Number>> copies = new LinkedHashMap<>();
      x.forEach((axis, places) -> copies.put(axis, List.copyOf(places)));
      x = copies;
      y = List.copyOf(y);
    }

    /** A curve over one axis, not to be smoothed. */
    public static Series of(String name, String axis, List<Number> x, List<Float> y) {
      return new Series(name, Map.of(axis, x), y, false);
    }
  }

  /**
   * A table.
   *
   * @param note a sentence above it; may be empty
   * @param columns their names; a column named {@code percent} also has bars
   * @param rows cells: text or numbers
   */
  public record Table(String title, String note, List<String> columns, List<List<Object>> rows) {

    public Table {
      columns = List.copyOf(columns);
      rows = List.copyOf(rows);
    }
  }

  /**
   * Which classes are taken for which.
   *
   * @param counts by the class of the sample, then by the class that the network answered
   */
  public record Confusion(List<String> names, List<List<Long>> counts) {}

  private static final String WEB = Pages.WEB;
  private static final String U_PLOT = WEB + "vendor/uPlot-1.6.32.";

  public Report {
    facts = List.copyOf(facts);
    charts = List.copyOf(charts);
    tables = List.copyOf(tables);
  }

  /** A page of charts alone. */
  public Report(String title, List<Fact> facts, List<Chart> charts) {
    this(title, facts, "", charts, List.of(), Optional.empty());
  }

  /** The page, with styles, scripts and data inside. */
  public String html() {
    Map<String, String> parts =
        Map.of(
            "title", Pages.escape(title),
            "uPlot.css", Pages.resource(U_PLOT + "min.css"),
            "uPlot.js", Pages.resource(U_PLOT + "iife.min.js"),
            "report.css", Pages.resource(WEB + "report.css"),
            "report.js", Pages.resource(WEB + "report.js"),
            "data", data());
    return Pages.fill(Pages.resource(WEB + "report.html"), parts);
  }

  private String data() {
    try {
      return Pages.inScript(
          new ObjectMapper()
              .registerModule(new Jdk8Module())
              .setDefaultPropertyInclusion(JsonInclude.Include.NON_ABSENT)
              .writeValueAsString(this));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
