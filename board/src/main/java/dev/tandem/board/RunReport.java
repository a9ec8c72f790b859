package dev.tandem.board;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.tandem.core.UsageException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The page of a run, from the files in its folder: of one that goes on, too, and of any version.
 */
public final class RunReport {

  private static final DateTimeFormatter MINUTE =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss zzz", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  private static final int MOST_PAIRS = 10;

  private final RunInfo run;
  private final RunMetrics metrics;
  private final List<Report.Fact> facts = new ArrayList<>();
  private final List<Report.Table> tables = new ArrayList<>();

  private RunReport(RunInfo run) {
    this.run = run;
    this.metrics = RunMetrics.read(run.path());
  }

  /** Reads the folder of a run. */
  public static Report of(Path folder) {
    RunInfo run =
        RunInfo.of(folder)
            .orElseThrow(() -> new UsageException(folder + " is not the folder of a run"));
    return new RunReport(run).report();
  }

  private Report report() {
    facts();
    results();
    Optional<JsonNode> counted =
        metrics.validations().stream()
            .filter(each -> each.path("classes").isArray())
            .reduce((before, after) -> after);
    List<String> names = counted.map(each -> names(each.path("classes").size())).orElse(List.of());
    counted.ifPresent(each -> classes(each, names));
    Optional<Report.Confusion> confusion =
        counted
            .map(each -> each.path("confusion"))
            .filter(JsonNode::isArray)
            .map(each -> confusion(each, names));
    stragglers();
    happened();
    return new Report(
        "Tandem: " + run.name(),
        facts,
        masked(run.config()),
        new RunCurves(metrics).charts(),
        tables,
        confusion);
  }

  private void facts() {
    fact("name", run.name());
    fact("state", run.state());
    fact("error", run.text("error"));
    fact("began", time(run.began()));
    double seconds = Math.max(0, run.ended().toEpochMilli() - run.began().toEpochMilli()) / 1e3;
    fact("duration", duration(seconds));
    fact("command", run.command());
    fact("machine", run.machine());
    fact("ranks", run.ranks() == 0 ? "" : Integer.toString(run.ranks()));
    fact("strategy", run.text("strategy"));
    String commit = run.text("commit");
    fact("tandem", run.text("tandem") + (commit.isEmpty() ? "" : ", commit " + commit));
    fact("java", run.text("java"));
    fact("engine", run.text("engine"));
    fact("device", run.text("device"));
  }

  /** What the run ended with, or how far it is. */
  private void results() {
    Optional<JsonNode> found = metrics.last("result");
    if (found.isEmpty()) {
      metrics.last("step").ifPresent(step -> fact("steps", "%,d", step.path("step").asLong()));
      metrics
          .last("epoch")
          .ifPresent(
              each -> {
                fact("test accuracy", "%.2f%%", 100, each, "testAccuracy");
                regression(each);
              });
      return;
    }
    JsonNode result = found.get();
    fact("test accuracy", "%.2f%%", 100, result, "accuracy");
    regression(result);
    fact("test loss", "%.4f", 1, result, "testLoss");
    if (RunMetrics.number(result, "bestAccuracy") > RunMetrics.number(result, "accuracy")) {
      fact("best accuracy", "%.2f%%", 100, result, "bestAccuracy");
      fact("best after", "step %,d", result.path("bestStep").asLong());
    }
    fact("images/s", "%,.0f", 1, result, "imagesPerSecond");
    fact("replicas identical", result.path("replicasIdentical").asBoolean() ? "yes" : "NO");
    fact("steps", "%,d", result.path("steps").asLong());
    fact("training time", "%.1f s", 1, result, "trainSeconds");
    fact("waiting for data", "%.1f s (rank 0)", 1, result, "readSeconds");
    fact("computing", "%.1f s", 1, result, "computeSeconds");
    fact("synchronising", "%.1f s", 1, result, "syncSeconds");
    fact("saving", "%.1f s", 1, result, "checkpointSeconds");
    fact("checkpoint", result.path("checkpoint").asText(""));
  }

  /** The errors of values, in a run that learns values instead of classes. */
  private void regression(JsonNode event) {
    fact("test MSE", "%.4g", 1, event.path("regression"), "mse");
    fact("test MAE", "%.4g", 1, event.path("regression"), "mae");
    fact("test R2", "%.4f", 1, event.path("regression"), "r2");
  }

  private void fact(String name, String value) {
    if (!value.isEmpty()) {
      facts.add(new Report.Fact(name, value));
    }
  }

  private void fact(String name, String format, long value) {
    fact(name, String.format(Locale.ROOT, format, value));
  }

  private void fact(String name, String format, double factor, JsonNode event, String key) {
    double value = RunMetrics.number(event, key);
    if (Double.isFinite(value)) {
      fact(name, String.format(Locale.ROOT, format, factor * value));
    }
  }

  private static String time(Instant instant) {
    return MINUTE.format(instant);
  }

  /** A time for a person. */
  public static String duration(double seconds) {
    long whole = Math.round(seconds);
    if (seconds < 60) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    return whole < 3600
        ? "%d min %02d s".formatted(whole / 60, whole % 60)
        : "%d h %02d min".formatted(whole / 3600, whole / 60 % 60);
  }

  /** The names of the classes as the configuration has them, or their numbers. */
  private List<String> names(int classes) {
    List<String> names = new ArrayList<>();
    try {
      JsonNode config = new YAMLMapper().readTree(run.config());
      config.path("data").path("class-names").forEach(name -> names.add(name.asText()));
    } catch (JsonProcessingException e) {
      names.clear();
    }
    for (int i = names.size(); i < classes; i++) {
      names.add(Integer.toString(i));
    }
    return names;
  }

  private void classes(JsonNode validation, List<String> names) {
    List<List<Object>> rows = new ArrayList<>();
    int label = 0;
    for (JsonNode each : validation.path("classes")) {
      long count = each.path("count").asLong();
      long right = each.path("right").asLong();
      rows.add(List.of(names.get(label++), right, count, 100.0 * right / Math.max(1, count)));
    }
    tables.add(
        new Report.Table(
            "Classes",
            "%,d samples of the validation after step %,d"
                .formatted(validation.path("samples").asLong(), validation.path("step").asLong()),
            List.of("class", "right", "samples", "percent"),
            rows));
  }

  private Report.Confusion confusion(JsonNode given, List<String> names) {
    List<List<Long>> counts = new ArrayList<>();
    List<List<Object>> pairs = new ArrayList<>();
    for (JsonNode row : given) {
      List<Long> own = new ArrayList<>();
      for (JsonNode cell : row) {
        if (cell.asLong() > 0 && own.size() != counts.size()) {
          pairs.add(List.of(names.get(counts.size()), names.get(own.size()), cell.asLong()));
        }
        own.add(cell.asLong());
      }
      counts.add(own);
    }
    pairs.sort(Comparator.comparingLong((List<Object> pair) -> (long) pair.get(2)).reversed());
    if (!pairs.isEmpty()) {
      tables.add(
          new Report.Table(
              "Most frequent mistakes",
              "",
              List.of("class", "taken for", "times"),
              pairs.subList(0, Math.min(MOST_PAIRS, pairs.size()))));
    }
    return new Report.Confusion(names, counts);
  }

  private void stragglers() {
    metrics
        .last("stragglers")
        .ifPresent(
            found -> {
              List<List<Object>> rows = new ArrayList<>();
              for (JsonNode row : found.path("rows")) {
                rows.add(
                    List.of(
                        row.path("rank").asText(),
                        row.path("inputMillis").asDouble(),
                        row.path("computeMillis").asDouble(),
                        row.path("coreWaitMillis").asDouble(),
                        row.path("agreementMillis").asDouble(),
                        row.path("latenessMillis").asDouble(),
                        row.path("transferMillis").asDouble()));
              }
              tables.add(
                  new Report.Table(
                      "Ranks",
                      found.path("sentence").asText()
                          + ". Milliseconds per step; the last two per transfer.",
                      List.of(
                          "rank",
                          "input",
                          "compute",
                          "wait for a core",
                          "wait for ranks",
                          "late by",
                          "transfer"),
                      rows));
            });
  }

  private void happened() {
    List<List<Object>> rows = new ArrayList<>();
    for (JsonNode event : metrics.happened()) {
      String what =
          switch (event.path("event").asText()) {
            case "generation" ->
                "generation %d with %d ranks %s"
                    .formatted(
                        event.path("number").asLong(),
                        event.path("ranks").asLong(),
                        event.path("cause").asText(""));
            case "rewind" -> "continues after step %d".formatted(event.path("step").asLong());
            case "checkpoint" ->
                "the checkpoint after step %d could not be saved"
                    .formatted(event.path("step").asLong());
            default -> event.path("text").asText("");
          };
      rows.add(List.of(time(Instant.ofEpochMilli(event.path("t").asLong())), what.strip()));
    }
    if (!rows.isEmpty()) {
      tables.add(new Report.Table("What happened", "", List.of("when", "what"), rows));
    }
  }

  /** A page is sent to others: what looks like a secret stays at home. */
  static String masked(String config) {
    return config.replaceAll(
        "(?im)^(\\s*[\\w-]*(?:password|secret|token)[\\w-]*\\s*:\\s*)\\S.*$", "$1(not shown)");
  }
}
