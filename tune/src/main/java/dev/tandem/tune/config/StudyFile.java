package dev.tandem.tune.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.KeyPlaces;
import dev.tandem.nn.yaml.RecordYaml;
import dev.tandem.nn.yaml.YamlText;
import dev.tandem.posix.FileErrors;
import dev.tandem.tune.StudySettings;
import dev.tandem.tune.StudySettings.Order;
import dev.tandem.tune.TrialPlan;
import dev.tandem.tune.prune.Population;
import dev.tandem.tune.prune.Pruner;
import dev.tandem.tune.prune.Pruners;
import dev.tandem.tune.sample.GridSampler;
import dev.tandem.tune.sample.Sampler;
import dev.tandem.tune.samplers.Samplers;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.SpaceYaml;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Node;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The file of a study's configuration: read, understood, and made into what runs. Immutable. */
public final class StudyFile implements KeyPlaces {

  private static final long TRIALS = 100;

  private static final RecordYaml YAML =
      new RecordYaml(
              Map.of(
                  "algorithm", "sampler",
                  "max-trials", "trials",
                  "n-trials", "trials",
                  "search-space", "space",
                  "parallelism", "workers",
                  "goal", "direction"))
          .tree(Tree.class, Tree::new, JsonNodeFactory.instance.objectNode());

  private final Path file;
  private final YamlText text;
  private final ObjectNode root;
  private final Map<String, String> options;

  private StudyFile(Path file, YamlText text, ObjectNode root, Map<String, String> options) {
    this.file = file;
    this.text = text;
    this.root = root;
    this.options = options;
  }

  /** Reads a file. */
  public static StudyFile read(Path file) {
    if (Files.isDirectory(file)) {
      throw new UsageException(file + " is a folder: expected the configuration of a study");
    }
    try {
      YamlText text = YamlText.parse(file.toString(), Files.readString(file));
      if (!(text.tree() instanceof ObjectNode root)) {
        throw new UsageException(
            file + ": expected keys and values, such as those of examples/tune-command.yaml");
      }
      return new StudyFile(file, text, root, Map.of());
    } catch (CharacterCodingException e) {
      throw new UsageException(file + " is not a text file in UTF-8");
    } catch (IOException e) {
      if (!Files.exists(file)) {
        throw new UsageException(file + " does not exist; docs/tuning.md shows what it holds");
      }
      throw FileErrors.failure("read", file, e);
    }
  }

  /** The same with values changed: {@code KEY=VALUE}, a value in YAML. */
  public StudyFile with(List<String> settings) {
    StudyFile changed = this;
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      if (equals < 1) {
        throw new UsageException("--set " + setting + ": expected KEY=VALUE");
      }
      JsonNode value = YamlText.parse("--set " + setting, setting.substring(equals + 1)).tree();
      changed = changed.with(setting.substring(0, equals).strip(), value, "--set " + setting);
    }
    return changed;
  }

  /** The same with another value, set by an option. */
  public StudyFile with(String key, long value, String option) {
    return with(key, root.numberNode(value), option);
  }

  private StudyFile with(String key, JsonNode value, String option) {
    ObjectNode copy = root.deepCopy();
    String[] path = key.split("\\.", -1);
    ObjectNode at = copy;
    for (int i = 0; i < path.length - 1; i++) {
      at = at.get(path[i]) instanceof ObjectNode section ? section : at.putObject(path[i]);
    }
    at.set(path[path.length - 1], value);
    Map<String, String> set = new LinkedHashMap<>(options);
    set.put(key, option);
    return new StudyFile(file, text, copy, set);
  }

  /** Whether a key is set, by the file or an option. */
  public boolean says(String key) {
    return root.has(key);
  }

  @Override
  public String document() {
    return text.document();
  }

  @Override
  public Optional<String> of(String key) {
    return Optional.ofNullable(options.get(key)).or(() -> text.of(key));
  }

  /** The configuration as YAML, with what was set. */
  public String yaml() {
    try {
      return YAML.mapper().writeValueAsString(root);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Its keys, bound to their types. */
  public StudyConfig config() {
    return YAML.read(root, StudyConfig.class, this);
  }

  /**
   * Understands it.
   *
   * @param nodes where trials run: what they need must fit there
   * @param tandem words that start Tandem, for trials that are training runs
   */
  public ReadyStudy ready(
      List<Node> nodes, Path runs, Optional<String> named, List<String> tandem) {
    StudyConfig config = config();
    try {
      return ready(config, nodes, runs, named, tandem);
    } catch (UsageException e) {
      throw placed(e) instanceof UsageException placed ? placed : e;
    }
  }

  private ReadyStudy ready(
      StudyConfig config,
      List<Node> nodes,
      Path runs,
      Optional<String> named,
      List<String> tandem) {
    Space space = space(config.space().node());
    Seed seed = new Seed(config.seed());
    Sampler sampler =
        placedAt(
            "sampler",
            () ->
                Samplers.of(
                    config.sampler().node(),
                    OptionalLong.of(config.trials().orElse(TRIALS)),
                    config.repeats()));
    Path folder =
        runs.resolve(named.or(config::name).orElseGet(() -> baseName(file))).toAbsolutePath();
    TrialObjective objective = TrialObjective.of(this, config, space, tandem, folder);
    Pruner pruner =
        placedAt(
            "pruner",
            () ->
                Pruners.of(
                    config.pruner().node(),
                    new Pruners.Trials(
                        config.order() == Order.ARRIVAL,
                        objective.steps(),
                        config.objective().train().isPresent(),
                        space,
                        seed)));
    Needs needs = config.needs().needs();
    placedAt(
        "needs",
        () -> {
          needs.requireRoom(nodes);
          return needs;
        });
    int workers = config.workers().orElseGet(() -> Workers.room(needs, nodes));
    long trials =
        config
            .trials()
            .orElseGet(
                () -> sampler instanceof GridSampler grid ? grid.trials(space, seed) : TRIALS);
    // The members of a population wait for each other.
    long together = pruner instanceof Population ? Math.max(workers, trials) : workers;
    StudySettings settings =
        new StudySettings(
            folder.getFileName().toString(),
            space,
            config.direction(),
            config.metric(),
            seed,
            config.sampler().node(),
            config.pruner().node(),
            config.order(),
            config.window().orElse(Math.toIntExact(together)));
    TrialPlan plan =
        new TrialPlan(
            trials,
            workers,
            config.limits().limits(),
            config.retries().policy(),
            config.stop().rules(),
            config.budget(),
            placedAt("enqueue", () -> FirstTrials.of(config.enqueue().node(), space)),
            placedAt(
                "inputs",
                () ->
                    InputKeys.of(
                        config.inputs().node(),
                        config.objective().command().isPresent(),
                        this::beside)),
            config.storage(folder.resolve("trials")));
    plan.requirePossible(settings, pruner);
    placedAt(
        "share-data",
        () -> {
          DataShare.check(config);
          return config;
        });
    return new ReadyStudy(
        folder, settings, plan, sampler, pruner, objective.work(), config.trace());
  }

  /** Understands a part. */
  interface Reading<T> {
    T read();
  }

  <T> T placedAt(String key, Reading<T> reading) {
    try {
      return reading.read();
    } catch (UsageException e) {
      throw new UsageException(nearest(key) + ": " + e.getMessage());
    }
  }

  private Space space(JsonNode node) {
    if (node.isTextual()) {
      return SpaceYaml.read(beside(node.textValue()));
    }
    return SpaceYaml.read(node, key -> nearest(key.isEmpty() ? "space" : "space." + key) + ": ");
  }

  /** A file that the configuration names. */
  Path beside(String name) {
    return new NamedFiles(file).file(name);
  }

  static String baseName(Path file) {
    return file.getFileName().toString().replaceFirst("\\.[^.]*$", "");
  }

  /** A word of a program, which may name a file. */
  String located(String word) {
    return new NamedFiles(file).word(word);
  }
}
