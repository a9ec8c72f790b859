package dev.tandem.board;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * How samples that an ensemble shares were prepared, by {@code queues.jsonl} in its folder: what
 * lies ready for each member, how fast each takes it, and what could be prepared at most.
 */
final class SharedCurves {

  /** A line for each look at what is shared. */
  private static final String FILE = "queues.jsonl";

  private static final String TIME = "time";
  private static final int MOST_POINTS = 2000;

  private final List<JsonNode> events = new ArrayList<>();

  private SharedCurves() {}

  static SharedCurves read(Path folder) {
    SharedCurves curves = new SharedCurves();
    Path file = folder.resolve(FILE);
    if (Files.exists(file)) {
      MetricsFile.forEachObject(file, curves.events::add);
    }
    return curves;
  }

  /** What preparation cost over the whole run. */
  List<Report.Fact> facts(int members) {
    if (events.isEmpty()) {
      return List.of();
    }
    JsonNode last = events.getLast();
    double prepared = last.path("prepared").asDouble();
    double cpu = last.path("cpuSeconds").asDouble();
    if (prepared <= 0) {
      return List.of();
    }
    double each = 1e3 * cpu / prepared;
    return List.of(
        new Report.Fact(
            "prepared",
            String.format(
                Locale.ROOT,
                "%,.0f samples by %d threads; %.2f s of processors for 1,000, which %d members"
                    + " alone would take %.2f s for",
                prepared,
                last.path("threads").asInt(),
                each,
                members,
                members * each)),
        new Report.Fact(
            "most, p threads",
            String.format(
                Locale.ROOT, "%,.0f samples/s", peak(last, last.path("threads").asInt()))));
  }

  List<Report.Chart> charts() {
    if (events.isEmpty()) {
      return List.of();
    }
    List<Report.Chart> charts = new ArrayList<>();
    RunCurves.add(
        charts,
        new Report.Chart("Queue lengths", "samples that lie ready", false, byMember("queue")));
    RunCurves.add(
        charts,
        new Report.Chart(
            "Speeds of members", "samples per second without waiting", false, byMember("rate")));
    RunCurves.add(
        charts,
        new Report.Chart(
            "Preparation",
            "samples per second",
            false,
            List.of(series("peak(n, p)", event -> peak(event, working(event))), prepared())));
    RunCurves.add(
        charts,
        new Report.Chart(
            "Preprocessors",
            "threads that may work",
            false,
            List.of(series("p", SharedCurves::working))));
    return charts;
  }

  /** Threads that may prepare samples. */
  private static double working(JsonNode event) {
    int limit = event.path("limit").asInt();
    int threads = event.path("threads").asInt();
    return limit == 0 ? threads : Math.min(limit, threads);
  }

  /** What N threads could prepare per second if nothing held them up. */
  private static double peak(JsonNode event, double threads) {
    double busy = event.path("busySeconds").asDouble();
    return busy > 0 ? threads * event.path("prepared").asDouble() / busy : Double.NaN;
  }

  /** Samples per second between one event and the next. */
  private Report.Series prepared() {
    List<Number> times = new ArrayList<>();
    List<Float> values = new ArrayList<>();
    JsonNode before = null;
    for (JsonNode event : thinned()) {
      if (before != null) {
        double passed = time(event) - time(before);
        double count = event.path("prepared").asDouble() - before.path("prepared").asDouble();
        if (passed > 0 && count >= 0) {
          times.add(seconds(event));
          values.add((float) (count / passed));
        }
      }
      before = event;
    }
    return Report.Series.of("prepared", TIME, times, values);
  }

  private List<Report.Series> byMember(String key) {
    Map<String, List<Number>> times = new LinkedHashMap<>();
    Map<String, List<Float>> values = new LinkedHashMap<>();
    for (JsonNode event : thinned()) {
      for (JsonNode consumer : event.path("consumers")) {
        if (consumer.path("present").asBoolean(true)) {
          String name = consumer.path("name").asText();
          times.computeIfAbsent(name, _ -> new ArrayList<>()).add(seconds(event));
          values
              .computeIfAbsent(name, _ -> new ArrayList<>())
              .add((float) consumer.path(key).asDouble());
        }
      }
    }
    List<Report.Series> series = new ArrayList<>();
    times.forEach((name, at) -> series.add(Report.Series.of(name, TIME, at, values.get(name))));
    return series;
  }

  private Report.Series series(String name, ToDoubleFunction<JsonNode> value) {
    List<Number> times = new ArrayList<>();
    List<Float> values = new ArrayList<>();
    for (JsonNode event : thinned()) {
      double one = value.applyAsDouble(event);
      if (Double.isFinite(one)) {
        times.add(seconds(event));
        values.add((float) one);
      }
    }
    return Report.Series.of(name, TIME, times, values);
  }

  private List<JsonNode> thinned() {
    int stride = Math.ceilDiv(events.size(), MOST_POINTS);
    List<JsonNode> some = new ArrayList<>();
    for (int i = 0; i < events.size(); i += stride) {
      some.add(events.get(i));
    }
    return some;
  }

  private static double time(JsonNode event) {
    return event.path("seconds").asDouble();
  }

  private static Number seconds(JsonNode event) {
    return (float) time(event);
  }
}
