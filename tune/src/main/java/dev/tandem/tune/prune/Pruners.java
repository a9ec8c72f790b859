package dev.tandem.tune.prune;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Spelling;
import dev.tandem.tune.space.Space;
import java.util.List;
import java.util.Map;

/** Pruners by name, as a configuration says them: {@code median}, or {@code {median: {...}}}. */
public final class Pruners {

  private static final List<String> NAMES =
      List.of(
          "none", "median", "percentile", "halving", "hyperband", "patient", "threshold", "pbt");

  private Pruners() {}

  /**
   * The trials of a study, as far as pruners depend on them.
   *
   * @param arrival whether results count in the order in which they come
   * @param steps of a whole trial; 0 if nothing says
   * @param saves whether all save checkpoints from which they can be continued
   * @param space of their parameters
   * @param seed of the study
   */
  public record Trials(boolean arrival, long steps, boolean saves, Space space, Seed seed) {}

  /** The pruner of a setting: a name, or a mapping from one name to settings of its own. */
  public static Pruner of(JsonNode setting, Trials trials) {
    String name = setting.asText();
    ObjectNode own = JsonNodeFactory.instance.objectNode();
    if (setting instanceof ObjectNode keys && keys.size() == 1) {
      Map.Entry<String, JsonNode> entry = keys.properties().iterator().next();
      name = entry.getKey();
      if (!(entry.getValue() instanceof ObjectNode settings)) {
        throw new UsageException(
            "pruner.%s is %s, expected its settings".formatted(name, entry.getValue()));
      }
      own = settings;
    }
    return switch (name) {
      case "none" -> {
        requireKeys(name, own, List.of());
        yield Pruner.NONE;
      }
      case "median" -> {
        requireKeys(name, own, List.of("startup", "warm-up", "interval"));
        yield percentile(name, own, 50);
      }
      case "percentile" -> {
        requireKeys(name, own, List.of("percentile", "startup", "warm-up", "interval"));
        yield percentile(name, own, number(name, own, "percentile", 50));
      }
      case "halving" -> {
        requireKeys(name, own, List.of("first", "factor", "by"));
        yield halving(own, trials);
      }
      case "hyperband" -> {
        requireKeys(name, own, List.of("steps", "first", "factor"));
        if (!own.has("steps")) {
          throw new UsageException(
              "pruner.hyperband.steps is not set: say how many steps a whole trial has");
        }
        yield new HyperbandPruner(
            whole(name, own, "steps", 0), whole(name, own, "first", 1), factor(name, own, 3));
      }
      case "patient" -> {
        requireKeys(name, own, List.of("reports", "rule"));
        yield new PatientPruner(
            own.has("rule") ? rule(own.get("rule"), trials) : PatientPruner.STOP,
            Math.toIntExact(whole(name, own, "reports", 3)));
      }
      case "threshold" -> {
        requireKeys(name, own, List.of("least", "greatest", "warm-up"));
        yield new ThresholdPruner(
            number(name, own, "least", Double.NEGATIVE_INFINITY),
            number(name, own, "greatest", Double.POSITIVE_INFINITY),
            whole(name, own, "warm-up", 0));
      }
      case "pbt" -> {
        requireKeys(name, own, List.of("interval", "quantile", "resample", "mode"));
        yield population(own, trials);
      }
      default ->
          throw new UsageException(
              "pruner is %s, expected one of %s%s"
                  .formatted(
                      setting.isTextual() ? "'" + name + "'" : setting,
                      String.join(", ", NAMES),
                      Spelling.question(name, NAMES)));
    };
  }

  /** A rule that stops trials: one that pauses them cannot be asked by another. */
  private static Pruner rule(JsonNode setting, Trials trials) {
    Pruner rule = of(setting, new Trials(false, trials.steps(), false, trials.space, trials.seed));
    if (rule instanceof Schedule) {
      throw new UsageException(
          "pruner.patient.rule is %s, which pauses trials, expected one that stops them"
              .formatted(setting));
    }
    return rule;
  }

  private static Pruner halving(ObjectNode own, Trials trials) {
    long first = whole("halving", own, "first", 1);
    int factor = factor("halving", own, 4);
    String by = own.path("by").asText("");
    return switch (by) {
      case "stopping" -> new HalvingPruner(first, factor);
      case "promotion" -> {
        if (!trials.arrival()) {
          throw new UsageException(
              "pruner.halving.by is promotion, which needs order: arrival, because a trial goes on"
                  + " as soon as a worker is free");
        }
        if (trials.steps() == 0) {
          throw new UsageException(
              "pruner.halving.by is promotion, which needs budget: the last step of a whole trial");
        }
        yield new Promotion(first, factor, trials.steps(), true);
      }
      case "" ->
          trials.arrival() && trials.steps() > 0
              ? new Promotion(first, factor, trials.steps(), trials.saves())
              : new HalvingPruner(first, factor);
      default ->
          throw new UsageException(
              "pruner.halving.by is '%s', expected promotion or stopping".formatted(by));
    };
  }

  private static Pruner population(ObjectNode own, Trials trials) {
    if (trials.steps() == 0) {
      throw new UsageException("pruner.pbt needs budget: the last step of a whole trial");
    }
    String mode = own.path("mode").asText(trials.arrival() ? "async" : "sync");
    if (!List.of("async", "sync").contains(mode)) {
      throw new UsageException("pruner.pbt.mode is '%s', expected sync or async".formatted(mode));
    }
    if (mode.equals("async") && !trials.arrival()) {
      throw new UsageException(
          "pruner.pbt.mode is async, which needs order: arrival, because a trial is compared with"
              + " what others have by then");
    }
    return new Population(
        trials.space(),
        trials.seed(),
        whole("pbt", own, "interval", Math.max(1, trials.steps() / 10)),
        number("pbt", own, "quantile", 0.25),
        number("pbt", own, "resample", 0.25),
        mode.equals("sync"),
        trials.steps());
  }

  private static Pruner percentile(String name, ObjectNode own, double percentile) {
    return new PercentilePruner(
        percentile,
        Math.toIntExact(whole(name, own, "startup", 5)),
        whole(name, own, "warm-up", 0),
        whole(name, own, "interval", 1));
  }

  private static int factor(String name, ObjectNode own, int usual) {
    return Math.toIntExact(whole(name, own, "factor", usual));
  }

  private static long whole(String name, ObjectNode own, String key, long usual) {
    JsonNode value = own.path(key);
    if (value.isMissingNode()) {
      return usual;
    }
    if (!value.isIntegralNumber() || !value.canConvertToInt()) {
      throw new UsageException(
          "pruner.%s.%s is %s, expected a whole number".formatted(name, key, value));
    }
    return value.asLong();
  }

  private static double number(String name, ObjectNode own, String key, double usual) {
    JsonNode value = own.path(key);
    if (value.isMissingNode()) {
      return usual;
    }
    if (!value.isNumber()) {
      throw new UsageException("pruner.%s.%s is %s, expected a number".formatted(name, key, value));
    }
    return value.asDouble();
  }

  private static void requireKeys(String pruner, ObjectNode settings, List<String> known) {
    for (Map.Entry<String, JsonNode> entry : settings.properties()) {
      if (!known.contains(entry.getKey())) {
        throw new UsageException(
            "pruner.%s has no setting '%s'%s%s"
                .formatted(
                    pruner,
                    entry.getKey(),
                    known.isEmpty() ? "" : ", expected one of " + String.join(", ", known),
                    Spelling.question(entry.getKey(), known)));
      }
    }
  }
}
