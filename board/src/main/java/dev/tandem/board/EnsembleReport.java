package dev.tandem.board;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.UsageException;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * The page of an ensemble: the curves of all members in common charts, and how the samples that
 * they share were prepared; also while they train. From the files in its folder and in those of its
 * members.
 */
public final class EnsembleReport {

  /** The file that says what an ensemble is. */
  private static final String FILE = "ensemble.json";

  private static final ObjectMapper JSON = new ObjectMapper();

  /** A member that has a run. */
  private record Member(String name, RunInfo run, RunCurves curves, RunSummary summary) {}

  private final Path folder;
  private final JsonNode json;
  private final List<Member> members = new ArrayList<>();
  private final SharedCurves shared;

  private EnsembleReport(Path folder, JsonNode json) {
    this.folder = folder;
    this.json = json;
    this.shared = SharedCurves.read(folder);
    for (JsonNode each : json.path("members")) {
      Path run = folder.resolveSibling(each.path("run").asText());
      RunInfo.of(run)
          .ifPresent(
              info ->
                  members.add(
                      new Member(
                          each.path("name").asText(),
                          info,
                          new RunCurves(RunMetrics.read(run)),
                          RunSummary.of(info))));
    }
  }

  /** Whether a folder is that of an ensemble. */
  public static boolean in(Path folder) {
    return Files.isRegularFile(folder.resolve(FILE));
  }

  /** Reads the folder of an ensemble. */
  public static Report of(Path folder) {
    Path path = folder.toAbsolutePath().normalize();
    Path file = path.resolve(FILE);
    try {
      JsonNode json = JSON.readTree(file.toFile());
      if (json == null || !json.path("members").isArray()) {
        throw new UsageException(file + " is no record of an ensemble");
      }
      return new EnsembleReport(path, json).report();
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  private Report report() {
    List<Report.Fact> facts = new ArrayList<>();
    facts.add(new Report.Fact("name", folder.getFileName().toString()));
    facts.add(new Report.Fact("state", json.path("state").asText()));
    facts.add(new Report.Fact("pipeline", json.path("pipeline").asText()));
    facts.add(new Report.Fact("members", Integer.toString(json.path("members").size())));
    members.stream()
        .findFirst()
        .ifPresent(first -> facts.add(new Report.Fact("machine", first.run().machine())));
    facts.addAll(shared.facts(members.size()));
    List<Report.Chart> charts = new ArrayList<>();
    chart(
        charts, "Test accuracy", "percent", false, (c, name) -> c.tests(name, 100, "testAccuracy"));
    chart(charts, "Test loss", "mean loss", true, (c, name) -> c.tests(name, 1, "testLoss"));
    chart(charts, "Training loss", "mean loss", true, RunCurves::losses);
    chart(charts, "Throughput", "samples per second", false, RunCurves::rates);
    charts.addAll(shared.charts());
    return new Report(
        "Tandem: " + folder.getFileName(),
        facts,
        config(),
        charts,
        List.of(table()),
        Optional.empty());
  }

  private void chart(
      List<Report.Chart> charts,
      String title,
      String vertical,
      boolean log,
      BiFunction<RunCurves, String, Report.Series> curve) {
    RunCurves.add(
        charts,
        new Report.Chart(
            title,
            vertical,
            log,
            members.stream().map(each -> curve.apply(each.curves(), each.name())).toList()));
  }

  private Report.Table table() {
    Map<String, Member> byName = new LinkedHashMap<>();
    members.forEach(member -> byName.put(member.name(), member));
    List<List<Object>> rows = new ArrayList<>();
    for (JsonNode each : json.path("members")) {
      Member member = byName.get(each.path("name").asText());
      rows.add(
          List.of(
              each.path("name").asText(),
              each.path("state").asText(),
              each.path("run").asText(),
              member == null ? 0L : member.summary().step(),
              text("%.2f%%", 100, member == null ? null : member.summary().accuracy()),
              text("%.4f", 1, member == null ? null : member.summary().testLoss()),
              text("%,.0f", 1, member == null ? null : member.summary().imagesPerSecond())));
    }
    return new Report.Table(
        "Members",
        "",
        List.of("member", "state", "run", "steps", "test accuracy", "test loss", "samples/s"),
        rows);
  }

  private static String text(String format, double factor, Double value) {
    return value == null ? "" : String.format(Locale.ROOT, format, factor * value);
  }

  private String config() {
    Path file = folder.resolve("ensemble.yaml");
    try {
      return Files.exists(file) ? RunReport.masked(Files.readString(file)) : "";
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }
}
