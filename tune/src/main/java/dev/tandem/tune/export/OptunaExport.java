package dev.tandem.tune.export;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.tune.StudySettings;
import dev.tandem.tune.StudyState;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.JsonValues;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.WholeDomain;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;

/** A study as a journal of Optuna: lines of JSON that its {@code JournalStorage} reads. */
public final class OptunaExport {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String WORKER = "tandem";

  // Operations and states as Optuna numbers them.
  private static final int CREATE_STUDY = 0;
  private static final int CREATE_TRIAL = 4;
  private static final int SET_PARAMETER = 5;
  private static final int SET_STATE = 6;
  private static final int SET_INTERMEDIATE = 7;
  private static final int COMPLETE = 1;
  private static final int PRUNED = 2;
  private static final int FAILED = 3;

  /** Optuna wants times; the journal of a study keeps others. */
  private static final String TIME = "2000-01-01T00:00:00.000000";

  private OptunaExport() {}

  /** The trials that have ended; parameters with conditions are where they are there. */
  public static String journal(StudySettings settings, StudyState state) {
    StringBuilder lines = new StringBuilder();
    ObjectNode study = line(CREATE_STUDY).put("study_name", settings.name());
    study.putArray("directions").add(settings.direction() == Direction.MINIMIZE ? 1 : 2);
    add(lines, study);
    int number = 0;
    for (Trial trial : state.trials()) {
      if (trial.state().ended()) {
        trial(lines, settings, trial, number++);
      }
    }
    return lines.toString();
  }

  private static void trial(StringBuilder lines, StudySettings settings, Trial trial, int number) {
    add(lines, line(CREATE_TRIAL).put("study_id", 0).put("datetime_start", TIME));
    for (Parameter parameter : settings.space().parameters()) {
      if (trial.parameters().has(parameter.name())) {
        Object value = trial.parameters().value(parameter.name());
        ObjectNode set =
            line(SET_PARAMETER).put("trial_id", number).put("param_name", parameter.name());
        if (parameter.domain() instanceof ChoiceDomain choice) {
          set.put("param_value_internal", choice.values().indexOf(value));
        } else {
          set.put("param_value_internal", ((Number) value).doubleValue());
        }
        add(lines, set.put("distribution", distribution(parameter).toString()));
      }
    }
    for (Report report : trial.reports()) {
      if (!Double.isNaN(report.value())) {
        add(
            lines,
            line(SET_INTERMEDIATE)
                .put("trial_id", number)
                .put("step", report.step())
                .put("intermediate_value", report.value()));
      }
    }
    ObjectNode end = line(SET_STATE).put("trial_id", number).put("state", code(trial));
    if (code(trial) == FAILED) {
      end.putNull("values");
    } else {
      end.putArray("values").add(trial.value());
    }
    add(lines, end.put("datetime_complete", TIME));
  }

  private static int code(Trial trial) {
    if (!Double.isFinite(trial.value())) {
      return FAILED;
    }
    return trial.state() == TrialState.COMPLETE
        ? COMPLETE
        : trial.state() == TrialState.PRUNED ? PRUNED : FAILED;
  }

  private static ObjectNode distribution(Parameter parameter) {
    ObjectNode distribution = NODES.objectNode();
    switch (parameter.domain()) {
      case RealDomain real -> {
        ObjectNode attributes =
            distribution.put("name", "FloatDistribution").putObject("attributes");
        if (real.step() > 0) {
          attributes.put("step", real.step());
        } else {
          attributes.putNull("step");
        }
        attributes.put("low", real.least()).put("high", real.greatest()).put("log", real.log());
      }
      case WholeDomain whole ->
          distribution
              .put("name", "IntDistribution")
              .putObject("attributes")
              .put("log", whole.log())
              .put("step", whole.step())
              .put("low", whole.least())
              .put("high", whole.greatest());
      case ChoiceDomain choice -> {
        var choices =
            distribution
                .put("name", "CategoricalDistribution")
                .putObject("attributes")
                .putArray("choices");
        choice.values().forEach(value -> choices.add(plain(JsonValues.tree(value))));
      }
    }
    return distribution;
  }

  /** Optuna's choices are plain values. */
  private static JsonNode plain(JsonNode value) {
    return value.isContainerNode() ? NODES.textNode(value.toString()) : value;
  }

  private static ObjectNode line(int operation) {
    return NODES.objectNode().put("op_code", operation).put("worker_id", WORKER);
  }

  private static void add(StringBuilder lines, ObjectNode line) {
    lines.append(line).append('\n');
  }
}
