package dev.tandem.board;

import java.util.List;
import java.util.Locale;

/**
 * Stacked bars, drawn as a picture that needs no script. Immutable.
 *
 * @param title above it
 * @param unit of the vertical axis
 * @param series what the parts of each bar are, from the bottom to the top
 * @param bars from left to right; those of a group stand together
 */
public record BarChart(String title, String unit, List<String> series, List<Bar> bars) {

  /**
   * One bar.
   *
   * @param group what several bars have in common, such as a number of devices; written below them
   * @param name written below the bar; may be empty
   * @param values of the series
   * @param label written above the bar; may be empty
   * @param mark where a line crosses it, such as a measured value; not a number for none
   */
  public record Bar(String group, String name, List<Double> values, String label, double mark) {

    public Bar {
      values = List.copyOf(values);
    }

    private double sum() {
      return values.stream().mapToDouble(Double::doubleValue).sum();
    }

    private double top() {
      return Double.isNaN(mark) ? sum() : Math.max(sum(), mark);
    }
  }

  private static final List<String> COLORS =
      List.of(
          "#4477aa", "#66ccee", "#228833", "#ccbb44", "#ee6677", "#aa3377", "#bbbbbb", "#994455",
          "#004488", "#ddaa33");

  private static final int WIDTH = 26;
  private static final int GAP = 6;
  private static final int BETWEEN_GROUPS = 22;
  private static final int HEIGHT = 240;
  private static final int LEFT = 70;
  private static final int TOP = 34;
  private static final int BELOW = 92;
  private static final int LINES = 4;
  private static final int LEGEND = 150;

  public BarChart {
    series = List.copyOf(series);
    bars = List.copyOf(bars);
  }

  /** The picture as SVG. */
  public String svg() {
    double most = bars.stream().mapToDouble(Bar::top).max().orElse(0);
    most = most == 0 ? 1 : most;
    StringBuilder parts = new StringBuilder();
    int x = LEFT;
    int begun = x;
    for (int i = 0; i < bars.size(); i++) {
      Bar bar = bars.get(i);
      boolean first = i == 0 || !bars.get(i - 1).group.equals(bar.group);
      if (first && i > 0) {
        x += BETWEEN_GROUPS;
      }
      begun = first ? x : begun;
      bar(parts, bar, x, most);
      x += WIDTH + GAP;
      if (i == bars.size() - 1 || !bars.get(i + 1).group.equals(bar.group)) {
        text(parts, (begun + x - GAP) / 2.0, TOP + HEIGHT + BELOW - 12, "middle", bar.group);
      }
    }
    int width = Math.max(x + GAP, LEFT + LEGEND * Math.max(2, series.size()));
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%d\" height=\"%d\">%n"
            .formatted(width, TOP + HEIGHT + BELOW));
    legend(svg);
    axis(svg, most, width);
    return svg.append(parts).append("</svg>\n").toString();
  }

  private void legend(StringBuilder svg) {
    for (int i = 0; i < series.size(); i++) {
      rectangle(svg, LEFT + (double) LEGEND * i, 4, 12, 12, color(i), series.get(i));
      text(svg, LEFT + (double) LEGEND * i + 17, 14, "start", series.get(i));
    }
  }

  private void axis(StringBuilder svg, double most, int width) {
    for (int i = 0; i <= LINES; i++) {
      double y = TOP + HEIGHT - (double) HEIGHT * i / LINES;
      svg.append(
          String.format(
              Locale.ROOT,
              "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
              LEFT - 4,
              width,
              y,
              y));
      text(svg, LEFT - 8, y + 4, "end", number(most * i / LINES) + (i == LINES ? " " + unit : ""));
    }
  }

  private void bar(StringBuilder svg, Bar bar, int x, double most) {
    double y = TOP + HEIGHT;
    for (int i = 0; i < bar.values.size(); i++) {
      double height = HEIGHT * bar.values.get(i) / most;
      y -= height;
      String told =
          "%s %s: %s %s".formatted(bar.group, series.get(i), number(bar.values.get(i)), unit);
      rectangle(svg, x, y, WIDTH, height, color(i), told);
    }
    if (!Double.isNaN(bar.mark)) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#000\""
                  + " stroke-width=\"2\"/>%n",
              x - 3,
              x + WIDTH + 3,
              TOP + HEIGHT - HEIGHT * bar.mark / most,
              TOP + HEIGHT - HEIGHT * bar.mark / most));
    }
    text(svg, x + WIDTH / 2.0, TOP + HEIGHT - HEIGHT * bar.top() / most - 4, "middle", bar.label);
    svg.append(
        "<text x=\"%d\" y=\"%d\" transform=\"rotate(60 %d %d)\">%s</text>%n"
            .formatted(x + 6, TOP + HEIGHT + 12, x + 6, TOP + HEIGHT + 12, Pages.escape(bar.name)));
  }

  private static String color(int place) {
    return COLORS.get(place % COLORS.size());
  }

  private static void rectangle(
      StringBuilder svg,
      double x,
      double y,
      double width,
      double height,
      String color,
      String told) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\""
                + " fill=\"%s\"><title>%s</title></rect>%n",
            x,
            y,
            width,
            height,
            color,
            Pages.escape(told)));
  }

  private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
    if (!text.isEmpty()) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
              x,
              y,
              anchor,
              Pages.escape(text)));
    }
  }

  private static String number(double value) {
    if (value == 0) {
      return "0";
    }
    return String.format(Locale.ROOT, value >= 100 ? "%,.0f" : value >= 1 ? "%.2f" : "%.3g", value);
  }
}
