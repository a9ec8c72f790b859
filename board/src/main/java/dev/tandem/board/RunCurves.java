package dev.tandem.board;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The charts of a run. More points than a screen has columns only make the page large: of longer
 * runs each point stands for several steps.
 */
final class RunCurves {

  private static final int MOST_POINTS = 2000;

  private final RunMetrics metrics;
  private final int stride;
  private final boolean timed;

  RunCurves(RunMetrics metrics) {
    this.metrics = metrics;
    this.stride = Math.ceilDiv(Math.max(1, metrics.steps()), MOST_POINTS);
    this.timed = !Double.isNaN(metrics.firstTime());
  }

  /** What a point is of the steps that it stands for. */
  private interface Value {
    double of(int from, int end);
  }

  List<Report.Chart> charts() {
    List<Report.Chart> charts = new ArrayList<>();
    add(
        charts,
        new Report.Chart(
            "Loss",
            "mean loss",
            true,
            List.of(
                steps("training", metrics.column("loss")::mean, true),
                validations("test", event -> RunMetrics.number(event, "testLoss")))));
    add(
        charts,
        new Report.Chart(
            "Accuracy",
            "percent",
            false,
            List.of(
                steps("training batch", percent(metrics.column("accuracy")), true),
                validations("test", event -> 100 * RunMetrics.number(event, "testAccuracy")),
                validations("test, top 5", event -> 100 * RunMetrics.number(event, "top5")))));
    add(charts, regression("Mean absolute error", "MAE", "mae"));
    add(charts, regression("Explained variance", "R2", "r2"));
    add(charts, single("Learning rate", "rate", metrics.column("learningRate")::max, false));
    add(
        charts,
        single("Gradient norm", "Euclidean norm", metrics.column("gradientNorm")::max, true));
    add(charts, single("Throughput", "samples per second", this::rate, true));
    add(
        charts,
        new Report.Chart(
            "Time per step of rank 0",
            "milliseconds",
            false,
            Stream.of("read", "forward", "backward", "sync", "update", "save")
                .map(part -> steps(part, metrics.column(part)::mean, true))
                .toList()));
    if (changes(metrics.column("batch"))) {
      add(charts, single("Batch", "samples per step", metrics.column("batch")::max, false));
    }
    return charts;
  }

  /** The losses of the steps. */
  Report.Series losses(String name) {
    return steps(name, metrics.column("loss")::mean, true);
  }

  /** Samples per second of the steps. */
  Report.Series rates(String name) {
    return steps(name, this::rate, true);
  }

  /** A number of the validations. */
  Report.Series tests(String name, double factor, String key) {
    return validations(name, event -> factor * RunMetrics.number(event, key));
  }

  private Report.Chart regression(String title, String vertical, String key) {
    return new Report.Chart(
        title,
        vertical,
        false,
        List.of(validations("test", event -> RunMetrics.number(event.path("regression"), key))));
  }

  private static Value percent(DoubleColumn column) {
    return (from, end) -> 100 * column.mean(from, end);
  }

  private double rate(int from, int end) {
    double millis = metrics.column("ms").sum(from, end);
    return millis > 0 ? 1e3 * metrics.column("batch").sum(from, end) / millis : Double.NaN;
  }

  private static boolean changes(DoubleColumn column) {
    for (int i = 1; i < column.size(); i++) {
      if (column.at(i) != column.at(0)) {
        return true;
      }
    }
    return false;
  }

  private Report.Chart single(String title, String vertical, Value value, boolean smooth) {
    return new Report.Chart(title, vertical, false, List.of(steps(title, value, smooth)));
  }

  /** Curves without a point are left out, and charts without a curve. */
  static void add(List<Report.Chart> charts, Report.Chart chart) {
    List<Report.Series> drawn =
        chart.series().stream().filter(series -> !series.y().isEmpty()).toList();
    if (!drawn.isEmpty()) {
      charts.add(new Report.Chart(chart.title(), chart.vertical(), chart.log(), drawn));
    }
  }

  private Report.Series steps(String name, Value value, boolean smooth) {
    Points points = new Points();
    for (int from = 0; from < metrics.steps(); from += stride) {
      int end = Math.min(metrics.steps(), from + stride);
      points.add(
          metrics.column("step").at(end - 1),
          metrics.column("images").at(end - 1),
          metrics.column("t").at(end - 1),
          value.of(from, end));
    }
    return new Report.Series(name, points.axes, points.values, smooth);
  }

  private Report.Series validations(String name, ToDoubleFunction<JsonNode> value) {
    Points points = new Points();
    for (JsonNode event : metrics.validations()) {
      double step = RunMetrics.number(event, "step");
      points.add(step, samplesAt(step), RunMetrics.number(event, "t"), value.applyAsDouble(event));
    }
    return new Report.Series(name, points.axes, points.values, false);
  }

  /** Samples that were trained on after a step; steps ascend. */
  private double samplesAt(double step) {
    DoubleColumn steps = metrics.column("step");
    int low = 0;
    int high = steps.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (steps.at(middle) < step) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < steps.size() ? metrics.column("images").at(low) : 0;
  }

  /** Points over all axes that the run has. */
  private final class Points {

    private final Map<String, List<Number>> axes = new LinkedHashMap<>();
    private final List<Float> values = new ArrayList<>();

    Points() {
      axes.put("step", new ArrayList<>());
      axes.put("samples", new ArrayList<>());
      if (timed) {
        axes.put("time", new ArrayList<>());
      }
    }

    void add(double step, double samples, double time, double value) {
      boolean placed = Double.isFinite(step) && (!timed || Double.isFinite(time));
      if (placed && Double.isFinite(value)) {
        axes.get("step").add((long) step);
        axes.get("samples").add((long) samples);
        if (timed) {
          axes.get("time").add((float) ((time - metrics.firstTime()) / 1e3));
        }
        values.add((float) value);
      }
    }
  }
}
