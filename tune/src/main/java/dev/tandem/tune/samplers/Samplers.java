package dev.tandem.tune.samplers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Spelling;
import dev.tandem.tune.sample.DistinctSampler;
import dev.tandem.tune.sample.GridSampler;
import dev.tandem.tune.sample.LatinSampler;
import dev.tandem.tune.sample.RandomSampler;
import dev.tandem.tune.sample.Sampler;
import dev.tandem.tune.sample.SobolSampler;
import dev.tandem.tune.sample.cma.CmaSampler;
import dev.tandem.tune.sample.gp.GpSampler;
import dev.tandem.tune.sample.tpe.TpeSampler;
import dev.tandem.tune.sample.tpe.TpeSettings;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Samplers by name, as a configuration says them: {@code grid}, or {@code {grid: {...}}}. */
public final class Samplers {

  private static final List<String> NAMES =
      List.of("auto", "tpe", "gp", "cma", "random", "grid", "latin", "sobol");

  private Samplers() {}

  /**
   * The sampler of a setting: a name, or a mapping from one name to settings of its own.
   *
   * @param budget how many trials the study is to have, if that is known
   * @param repeats how often the same parameters are tried
   */
  public static Sampler of(JsonNode setting, OptionalLong budget, int repeats) {
    String name = setting.asText();
    ObjectNode own = JsonNodeFactory.instance.objectNode();
    if (setting instanceof ObjectNode keys && keys.size() == 1) {
      Map.Entry<String, JsonNode> entry = keys.properties().iterator().next();
      name = entry.getKey();
      if (!(entry.getValue() instanceof ObjectNode settings)) {
        throw new UsageException(
            "sampler.%s is %s, expected its settings".formatted(name, entry.getValue()));
      }
      own = settings;
    }
    boolean repeatsAsOptuna = own.path("as").asText().startsWith("optuna");
    Sampler sampler = named(name, own, setting, budget, repeats);
    return sampler instanceof GridSampler || repeatsAsOptuna
        ? sampler
        : new DistinctSampler(sampler, repeats);
  }

  private static Sampler named(
      String name, ObjectNode own, JsonNode setting, OptionalLong budget, int repeats) {
    return switch (name) {
      case "random" -> {
        requireKeys(name, own, List.of());
        yield new RandomSampler();
      }
      case "grid" -> {
        requireKeys(name, own, List.of("shuffle"));
        yield new GridSampler(own.path("shuffle").asBoolean(false), repeats);
      }
      case "latin" -> {
        requireKeys(name, own, List.of("trials"));
        yield new LatinSampler(own.path("trials").asInt(100));
      }
      case "sobol" -> {
        requireKeys(name, own, List.of());
        yield new SobolSampler();
      }
      case "gp" -> {
        requireKeys(name, own, List.of());
        yield new GpSampler(new TpeSampler(TpeSettings.TANDEM));
      }
      case "cma" -> {
        requireKeys(name, own, List.of());
        yield new CmaSampler(new TpeSampler(TpeSettings.TANDEM));
      }
      case "auto" -> {
        requireKeys(name, own, List.of());
        yield new AutoSampler(budget);
      }
      case "tpe" -> {
        requireKeys(name, own, List.of("as"));
        yield new TpeSampler(tpeSettings(own.path("as").asText("tandem")));
      }
      default ->
          throw new UsageException(
              "sampler is %s, expected one of %s%s"
                  .formatted(
                      setting.isTextual() ? "'" + name + "'" : setting,
                      String.join(", ", NAMES),
                      Spelling.question(name, NAMES)));
    };
  }

  private static TpeSettings tpeSettings(String as) {
    return switch (as) {
      case "tandem" -> TpeSettings.TANDEM;
      case "optuna-3.1" -> TpeSettings.OPTUNA_3_1;
      case "optuna-4" -> TpeSettings.OPTUNA_4;
      default ->
          throw new UsageException(
              "sampler.tpe.as is '%s', expected tandem, optuna-3.1 or optuna-4".formatted(as));
    };
  }

  private static void requireKeys(String sampler, ObjectNode settings, List<String> known) {
    for (Map.Entry<String, JsonNode> entry : settings.properties()) {
      if (!known.contains(entry.getKey())) {
        throw new UsageException(
            "sampler.%s has no setting '%s'%s%s"
                .formatted(
                    sampler,
                    entry.getKey(),
                    known.isEmpty() ? "" : ", expected one of " + String.join(", ", known),
                    Spelling.question(entry.getKey(), known)));
      }
    }
  }
}
