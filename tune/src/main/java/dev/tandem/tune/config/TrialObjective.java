package dev.tandem.tune.config;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.TrainingConfig;
import dev.tandem.tune.TrialWork;
import dev.tandem.tune.local.CommandWords;
import dev.tandem.tune.sample.RandomSampler;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.Work;
import dev.tandem.tune.task.Work.Protocol;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.History;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * What a trial does, out of the keys {@code objective} and {@code needs}.
 *
 * @param steps of a whole trial; 0 if nothing says
 */
record TrialObjective(TrialWork work, long steps) {

  /** How many points are looked at; a condition may be rare. */
  private static final long POINTS = 100;

  private static final History NOTHING = new History(Direction.MINIMIZE, List.of(), List.of());

  /** Understands it. */
  static TrialObjective of(
      StudyFile file, StudyConfig config, Space space, List<String> tandem, Path folder) {
    StudyConfig.Objective objective = config.objective();
    return objective.train().isPresent()
        ? training(file, config, space, tandem, folder)
        : program(file, config, space);
  }

  private static TrialObjective training(
      StudyFile file, StudyConfig config, Space space, List<String> tandem, Path folder) {
    String name = config.objective().train().orElseThrow();
    Path configuration = file.beside(name);
    if (!Files.exists(configuration)) {
      throw new UsageException(
          "%s: objective.train is %s, which does not exist"
              .formatted(file.nearest("objective.train"), name));
    }
    long epochs = checked(file, configuration, space);
    Needs needs = config.needs().needs();
    return new TrialObjective(
        call ->
            List.of(
                new Task.Alternative(
                    new Work.TrainWork(
                        tandem,
                        configuration,
                        Path.of("").toAbsolutePath(),
                        config.shareData() ? DataShare.name(folder, call.parameters()) : "",
                        call),
                    needs)),
        config.budget() > 0 || space.has("epochs") ? config.budget() : epochs);
  }

  /**
   * Says what is wrong with a training's configuration, or with a parameter that is none of its
   * keys, before any trial does.
   *
   * @return the epochs of the training
   */
  private static long checked(StudyFile file, Path configuration, Space space) {
    ConfigFile training = ConfigFile.read(configuration);
    long epochs = 0;
    for (Parameter parameter : space.parameters()) {
      epochs =
          file.placedAt("space." + parameter.name(), () -> possible(training, space, parameter))
              .epochs();
    }
    return epochs;
  }

  /** One of some points of the space that have this parameter must be a training. */
  private static TrainingConfig possible(ConfigFile training, Space space, Parameter parameter) {
    UsageException failure = new UsageException("no trial has this parameter");
    for (long point = 0; point < POINTS; point++) {
      Parameters drawn =
          new RandomSampler().suggest(space, NOTHING, new Seed(0), point).orElseThrow();
      if (drawn.has(parameter.name())) {
        List<String> settings = new ArrayList<>();
        drawn.values().forEach((name, value) -> settings.add(name + "=" + value));
        try {
          return training.with(settings).withoutData();
        } catch (UsageException e) {
          failure = e;
        }
      }
    }
    throw failure;
  }

  private static TrialObjective program(StudyFile file, StudyConfig config, Space space) {
    StudyConfig.Objective objective = config.objective();
    Needs needs = config.needs().needs();
    Set<String> names = new LinkedHashSet<>();
    space.parameters().stream().map(Parameter::name).forEach(names::add);
    List<String> command = new ArrayList<>();
    objective.command().orElseThrow().forEach(word -> command.add(file.located(word)));
    file.placedAt(
        "objective.command",
        () -> {
          CommandWords.check(command, names);
          return command;
        });
    Protocol protocol = file.placedAt("objective.metrics", () -> protocol(objective));
    return new TrialObjective(
        call ->
            List.of(
                new Task.Alternative(
                    new Work.CommandWork(command, objective.environment(), protocol, call), needs)),
        config.budget());
  }

  private static Protocol protocol(StudyConfig.Objective objective) {
    JsonNode metrics = objective.metrics().node();
    if (metrics.asText().equals("json")) {
      return new Protocol(Protocol.Metrics.JSON, Optional.empty(), objective.answers());
    }
    if (metrics.path("format").asText().equals("katib") || metrics.asText().equals("katib")) {
      return new Protocol(Protocol.Metrics.KATIB, Optional.empty(), objective.answers());
    }
    if (metrics.path("regex").isTextual()) {
      try {
        return new Protocol(
            Protocol.Metrics.REGEX,
            Optional.of(Pattern.compile(metrics.get("regex").textValue())),
            objective.answers());
      } catch (PatternSyntaxException e) {
        throw new UsageException("metrics.regex is no expression: " + e.getDescription());
      }
    }
    throw new UsageException(
        "metrics is %s, expected json, {format: katib} or {regex: EXPRESSION}".formatted(metrics));
  }
}
