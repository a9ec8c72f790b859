package dev.tandem.board;

import java.util.List;

/**
 * A page of bar charts in one file, without scripts, which opens from disk without a network.
 * Immutable. Text is shown as it is: nothing in it becomes markup.
 *
 * @param sections from the top to the bottom
 */
public record BarPage(String title, List<String> lines, List<Section> sections) {

  /**
   * A chart with what is to be said about it.
   *
   * @param lines below it, one paragraph each
   */
  public record Section(BarChart chart, List<String> lines) {

    public Section {
      lines = List.copyOf(lines);
    }
  }

  private static final String STYLE =
      """
      body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; color: #222; background: #fff }
      svg { display: block; max-width: 100%; overflow: visible; font-size: 11px }
      h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
      p { margin: .2rem 0; max-width: 60rem }
      """;

  public BarPage {
    lines = List.copyOf(lines);
    sections = List.copyOf(sections);
  }

  /** The page. */
  public String html() {
    StringBuilder html = new StringBuilder();
    html.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
    html.append(Pages.escape(title));
    html.append("</title>\n<style>\n").append(STYLE).append("</style>\n</head>\n<body>\n<h1>");
    html.append(Pages.escape(title)).append("</h1>\n");
    lines.forEach(line -> paragraph(html, line));
    for (Section section : sections) {
      html.append("<h2>").append(Pages.escape(section.chart.title())).append("</h2>\n");
      html.append(section.chart.svg());
      section.lines.forEach(line -> paragraph(html, line));
    }
    return html.append("</body>\n</html>\n").toString();
  }

  private static void paragraph(StringBuilder html, String text) {
    html.append("<p>").append(Pages.escape(text)).append("</p>\n");
  }
}
