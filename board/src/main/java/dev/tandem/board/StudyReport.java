package dev.tandem.board;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.posix.DurableFiles;
import dev.tandem.tune.importance.PedAnova;
import dev.tandem.tune.journal.JournalFile;
import dev.tandem.tune.journal.JournalRecord;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.WholeDomain;
import dev.tandem.tune.trace.TaskTimeline;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The page of a study, from the journal in its folder; also while it runs. One file that opens from
 * disk without a network: history, learning curves, parallel coordinates, importance, contour,
 * slices, processors over time, time against cores, each with its table.
 */
public final class StudyReport {

  private static final String E_CHARTS = "vendor/echarts-6.0.0.min.js";

  private final Path folder;
  private final StudyRecords records;
  private final TaskTimeline timeline;
  private final List<Trial> trials;

  private StudyReport(Path folder) {
    this.folder = folder;
    List<JournalRecord> journal =
        JournalFile.readOnly(DurableFiles.system(), folder.resolve(JournalFile.NAME));
    this.records = new StudyRecords(journal);
    this.timeline = TaskTimeline.of(journal);
    this.trials = records.trials();
  }

  /** Whether a folder is that of a study. */
  public static boolean in(Path folder) {
    return Files.isRegularFile(folder.resolve(JournalFile.NAME));
  }

  /** The page of the study in a folder. */
  public static String html(Path folder) {
    return new StudyReport(folder.toAbsolutePath().normalize()).html();
  }

  /** What the page begins with. */
  public static List<Report.Fact> facts(Path folder) {
    return new StudyReport(folder.toAbsolutePath().normalize()).facts();
  }

  private String html() {
    StudyPage page = page();
    try {
      return Pages.fill(
          Pages.resource(Pages.WEB + "study.html"),
          Map.of(
              "title", Pages.escape(page.title()),
              "report.css", Pages.resource(Pages.WEB + "report.css"),
              "echarts.js", Pages.resource(Pages.WEB + E_CHARTS),
              "study.js", Pages.resource(Pages.WEB + "study.js"),
              "data", Pages.inScript(new ObjectMapper().writeValueAsString(page))));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What the page shows. */
  StudyPage page() {
    Map<Long, Integer> cores = new HashMap<>();
    timeline.bars().forEach(bar -> cores.put(bar.trial(), bar.cores().size()));
    return new StudyPage(
        "Tandem: " + records.study().name(),
        facts(),
        records.study().metric(),
        records.direction() == Direction.MINIMIZE,
        records.space().parameters().stream().map(StudyReport::dimension).toList(),
        trials.stream().map(each -> line(each, cores.getOrDefault(each.number(), 0))).toList(),
        timeline.bars().stream().map(StudyReport::bar).toList(),
        PedAnova.of(records.space(), records.direction(), trials),
        records.rungs(),
        records.takeovers());
  }

  private List<Report.Fact> facts() {
    List<Report.Fact> facts = new ArrayList<>();
    fact(facts, "folder", folder.toString());
    fact(facts, "stopped", records.stop());
    fact(
        facts,
        "trials",
        trials.stream()
            .collect(Collectors.groupingBy(Trial::state, TreeMap::new, Collectors.counting()))
            .entrySet()
            .stream()
            .map(each -> each.getValue() + " " + each.getKey().name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", ")));
    best()
        .ifPresent(
            best -> {
              fact(facts, "best " + records.study().metric(), Double.toString(best.value()));
              fact(facts, "best trial", best.number() + ": " + best.parameters());
            });
    fact(facts, "sampler", records.study().sampler().toString());
    fact(facts, "pruner", records.study().pruner().toString());
    fact(facts, "seed", Long.toString(records.study().seed()));
    fact(facts, "order", records.study().order() + ", window " + records.study().window());
    fact(facts, "seconds", String.format(Locale.ROOT, "%.1f", timeline.seconds()));
    return facts;
  }

  private static void fact(List<Report.Fact> facts, String name, String value) {
    if (!value.isEmpty() && !value.equals("null")) {
      facts.add(new Report.Fact(name, value));
    }
  }

  private Optional<Trial> best() {
    return trials.stream()
        .filter(each -> each.state() == TrialState.COMPLETE)
        .reduce(
            (one, other) -> records.direction().better(other.value(), one.value()) ? other : one);
  }

  private static StudyPage.Dimension dimension(Parameter parameter) {
    return switch (parameter.domain()) {
      case ChoiceDomain choice ->
          new StudyPage.Dimension(
              parameter.name(),
              choice.values().stream().map(String::valueOf).toList(),
              0,
              0,
              false);
      case RealDomain real ->
          new StudyPage.Dimension(
              parameter.name(), List.of(), real.least(), real.greatest(), real.log());
      case WholeDomain whole ->
          new StudyPage.Dimension(
              parameter.name(),
              List.of(),
              (double) whole.least(),
              (double) whole.greatest(),
              whole.log());
    };
  }

  private static StudyPage.TrialLine line(Trial trial, int cores) {
    return new StudyPage.TrialLine(
        trial.number(),
        trial.state().name(),
        finite(trial.value()),
        trial.parameters().values(),
        trial.reports().stream().map(each -> each.step()).toList(),
        values(trial),
        trial.seconds(),
        cores,
        trial.reason());
  }

  private static List<Double> values(Trial trial) {
    List<Double> values = new ArrayList<>();
    trial.reports().forEach(each -> values.add(finite(each.value())));
    return values;
  }

  private static Double finite(double value) {
    return Double.isFinite(value) ? value : null;
  }

  private static StudyPage.AttemptBar bar(TaskTimeline.Bar bar) {
    return new StudyPage.AttemptBar(
        bar.trial(),
        bar.attempt(),
        bar.node(),
        bar.cores(),
        bar.from(),
        bar.to(),
        bar.state(),
        bar.reason());
  }
}
