package dev.tandem.tune.export;

import dev.tandem.tune.StudySettings;
import dev.tandem.tune.StudyState;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.trial.Trial;
import java.util.ArrayList;
import java.util.List;

/** The trials of a study as a table. */
public final class TrialTable {

  private TrialTable() {}

  /** Comma-separated values: one row for each trial, empty cells for parameters not there. */
  public static String csv(StudySettings settings, StudyState state) {
    List<String> names = settings.space().parameters().stream().map(Parameter::name).toList();
    StringBuilder text = new StringBuilder();
    List<String> head = new ArrayList<>(List.of("trial", "state", settings.metric()));
    head.addAll(List.of("seconds", "attempts", "reason"));
    head.addAll(names);
    row(text, head);
    for (Trial trial : state.trials()) {
      List<String> cells = new ArrayList<>();
      cells.add(Long.toString(trial.number()));
      cells.add(trial.state().name());
      cells.add(Double.isNaN(trial.value()) ? "" : Double.toString(trial.value()));
      cells.add(Double.toString(trial.seconds()));
      cells.add(Integer.toString(state.attempts(trial.number())));
      cells.add(trial.reason());
      for (String name : names) {
        cells.add(trial.parameters().has(name) ? trial.parameters().word(name) : "");
      }
      row(text, cells);
    }
    return text.toString();
  }

  private static void row(StringBuilder text, List<String> cells) {
    text.append(String.join(",", cells.stream().map(TrialTable::quoted).toList())).append('\n');
  }

  private static String quoted(String cell) {
    return cell.matches("(?s).*[,\"\\r\\n].*") ? "\"" + cell.replace("\"", "\"\"") + "\"" : cell;
  }
}
