package dev.tandem.cli;

import dev.tandem.tune.StudySettings;
import dev.tandem.tune.StudyState;
import dev.tandem.tune.journal.JournalRecord;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The trials of a study as text and as what {@code --json} gets. */
record StudyText(StudySettings settings, StudyState state) {

  private static final int LONGEST_REASON = 100;

  /** What {@code --json} gets. */
  record Results(
      String study,
      String folder,
      String metric,
      String direction,
      String reason,
      Map<String, Long> states,
      OneTrial best,
      List<OneTrial> trials) {}

  /** A trial. */
  record OneTrial(
      long number,
      String state,
      double value,
      Map<String, Object> parameters,
      int attempts,
      double seconds,
      String reason,
      List<JournalRecord.Lineage> lineage) {}

  Results results(Path folder, String reason) {
    return new Results(
        settings.name(),
        folder.toString(),
        settings.metric(),
        settings.direction().name().toLowerCase(Locale.ROOT),
        reason,
        states(),
        state.best().map(this::one).orElse(null),
        state.trials().stream().map(this::one).toList());
  }

  private Map<String, Long> states() {
    Map<String, Long> states = new TreeMap<>();
    state.trials().forEach(trial -> states.merge(word(trial.state()), 1L, Long::sum));
    return states;
  }

  private static String word(TrialState state) {
    return state.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private OneTrial one(Trial trial) {
    return new OneTrial(
        trial.number(),
        word(trial.state()),
        trial.value(),
        trial.parameters().values(),
        state.attempts(trial.number()),
        trial.seconds(),
        trial.reason(),
        state.lineage(trial.number()));
  }

  /** Facts after a study has run. */
  void print(PrintWriter out, Path folder, String reason, double seconds) {
    List<String> words = new ArrayList<>();
    states().forEach((word, count) -> words.add("%d %s".formatted(count, word)));
    fact(out, "study", folder.toString());
    fact(
        out,
        "trials",
        "%s in %.1f s%s"
            .formatted(String.join(", ", words), seconds, reason.isEmpty() ? "" : "; " + reason));
    Map<String, Long> failures = new LinkedHashMap<>();
    state.trials().stream()
        .filter(trial -> trial.state().ended() && !trial.counts())
        .forEach(trial -> failures.merge(shortened(trial.reason()), 1L, Long::sum));
    failures.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(3)
        .forEach(each -> fact(out, "failed", each.getValue() + " x " + each.getKey()));
    state
        .best()
        .ifPresent(
            best -> {
              fact(
                  out,
                  "best " + settings.metric(),
                  "%.6g in trial %d".formatted(best.value(), best.number()));
              fact(out, "parameters", best.parameters().toString());
            });
  }

  private static void fact(PrintWriter out, String name, String value) {
    out.printf("%20s: %s%n", name, value);
  }

  /** Why the last failed trial failed, to end a sentence with. */
  String lastReason() {
    return state.trials().stream()
        .filter(trial -> !trial.reason().isEmpty())
        .reduce((before, last) -> last)
        .map(trial -> "; trial %d: %s".formatted(trial.number(), shortened(trial.reason())))
        .orElse("");
  }

  /** One line for each trial. */
  void printTrials(PrintWriter out) {
    out.printf(
        "%6s  %-9s  %12s  %8s  %s%n", "trial", "state", settings.metric(), "seconds", "parameters");
    for (Trial trial : state.trials()) {
      out.printf(
          "%6d  %-9s  %12s  %8.1f  %s%s%s%n",
          trial.number(),
          word(trial.state()),
          Double.isNaN(trial.value()) ? "-" : "%.6g".formatted(trial.value()),
          trial.seconds(),
          trial.parameters(),
          lineage(trial.number()),
          trial.reason().isEmpty() ? "" : "  (" + shortened(trial.reason()) + ")");
    }
  }

  /** From whose checkpoints a trial went on. */
  private String lineage(long trial) {
    List<String> parents =
        state.lineage(trial).stream()
            .map(each -> "trial %d at step %d".formatted(each.parent(), each.step()))
            .toList();
    return parents.isEmpty() ? "" : "  (from " + String.join(", ", parents) + ")";
  }

  private static String shortened(String reason) {
    return reason.length() <= LONGEST_REASON ? reason : reason.substring(0, LONGEST_REASON) + "...";
  }
}
