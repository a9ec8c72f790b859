package dev.tandem.tune.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.KeyException;
import dev.tandem.nn.yaml.RecordYaml;
import dev.tandem.nn.yaml.YamlText;
import dev.tandem.posix.FileErrors;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.tune.config.GraphConfig.TaskKeys;
import dev.tandem.tune.config.GraphConfig.WayKeys;
import dev.tandem.tune.local.CommandWords;
import dev.tandem.tune.space.JsonValues;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.task.Call;
import dev.tandem.tune.task.Input;
import dev.tandem.tune.task.Limits;
import dev.tandem.tune.task.RetryPolicy;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskId;
import dev.tandem.tune.task.Work;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The file of a graph of tasks; also that in which a task says its children. Immutable. */
public final class GraphFile {

  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]*");
  private static final RecordYaml YAML =
      new RecordYaml(Map.of("depends-on", "after", "needs-tasks", "after"))
          .tree(Tree.class, Tree::new, JsonNodeFactory.instance.objectNode());

  private final Path file;
  private final YamlText text;
  private final NamedFiles files;

  private GraphFile(Path file, YamlText text) {
    this.file = file;
    this.text = text;
    this.files = new NamedFiles(file);
  }

  /** Where tasks are kept and what starts Tandem, for those that are trainings. */
  public record Place(String graph, Path folder, List<String> tandem) {

    /** The folder of a task. */
    public Path task(String name) {
      return folder.resolve("tasks").resolve(name);
    }
  }

  /** Reads a file. */
  public static GraphFile read(Path file) {
    try {
      return new GraphFile(file, YamlText.parse(file.toString(), Files.readString(file)));
    } catch (CharacterCodingException e) {
      throw new UsageException(file + " is not a text file in UTF-8");
    } catch (IOException e) {
      if (Files.isDirectory(file) || !Files.exists(file)) {
        throw new UsageException(
            file + " is no file; docs/tuning.md shows what a graph of tasks holds");
      }
      throw FileErrors.failure("read", file, e);
    }
  }

  /** Its keys, bound to their types; not yet its tasks. */
  public GraphConfig config() {
    return YAML.read(text.tree(), GraphConfig.class, text);
  }

  /** The file as it is. */
  public String yaml() {
    return text.tree().isMissingNode() ? "" : text.tree().toPrettyString();
  }

  /** The name of the graph if nothing else says it. */
  public String baseName() {
    return StudyFile.baseName(file);
  }

  /**
   * Its tasks, in their order.
   *
   * @param parent the name of the task that has written this file
   * @param seed of the graph
   */
  public List<PlannedTask> tasks(Optional<String> parent, Seed seed, Place place) {
    JsonNode tasks = config().tasks().node();
    if (!(tasks instanceof ObjectNode) || tasks.isEmpty()) {
      throw new UsageException(
          text.nearest("tasks")
              + ": tasks is %s, expected {NAME: {command: [...]}, ...}".formatted(tasks));
    }
    Set<String> names = new HashSet<>();
    tasks.properties().forEach(each -> names.add(each.getKey()));
    List<PlannedTask> all = new ArrayList<>();
    for (Map.Entry<String, JsonNode> each : tasks.properties()) {
      all.add(task(each.getKey(), each.getValue(), names, parent, seed, place));
    }
    return all;
  }

  private PlannedTask task(
      String name,
      JsonNode tree,
      Set<String> names,
      Optional<String> parent,
      Seed seed,
      Place place) {
    String key = "tasks." + name;
    try {
      if (!NAME.matcher(name).matches()) {
        throw new UsageException(
            "task '%s': expected a name of letters, digits, _ and -".formatted(name));
      }
      TaskKeys keys = YAML.read(tree, TaskKeys.class);
      Set<String> known = new HashSet<>(keys.after());
      for (String before : keys.after()) {
        if (!names.contains(before)) {
          throw new KeyException(
              "after", "after has '%s', which is no task of this file".formatted(before));
        }
      }
      parent.map(PlannedTask::shortName).ifPresent(known::add);
      String full = parent.map(outer -> outer + "." + name).orElse(name);
      Call call =
          new Call(parameters(keys), keys.metric(), seed.derive(full), 0, "", place.task(full));
      List<Task.Alternative> ways = new ArrayList<>();
      ways.add(way(keys.way(), call, known, place));
      keys.alternatives().forEach(way -> ways.add(way(way, call, known, place)));
      Limits limits = keys.limits().limits();
      RetryPolicy retries = keys.retries().policy();
      List<Input> inputs =
          InputKeys.of(
              keys.inputs().node(),
              ways.stream().allMatch(way -> way.work() instanceof Work.CommandWork),
              files::file);
      return new PlannedTask(
          full,
          parent,
          keys.after().stream()
              .map(before -> parent.map(outer -> outer + "." + before).orElse(before))
              .toList(),
          keys.priority(),
          number -> new Task(new TaskId(place.graph(), number), ways, limits, retries, inputs, 1));
    } catch (KeyException e) {
      String whole = e.key().isEmpty() ? key : key + "." + e.key();
      throw new UsageException("%s: %s: %s".formatted(text.nearest(whole), key, e.getMessage()));
    } catch (UsageException e) {
      throw new UsageException("%s: %s: %s".formatted(text.nearest(key), key, e.getMessage()));
    }
  }

  private static Parameters parameters(TaskKeys keys) {
    Map<String, Object> values = new LinkedHashMap<>();
    keys.parameters()
        .node()
        .properties()
        .forEach(each -> values.put(each.getKey(), JsonValues.of(each.getValue())));
    return Parameters.of(values);
  }

  private Task.Alternative way(WayKeys keys, Call call, Set<String> tasks, Place place) {
    if (keys.command().isPresent()) {
      Set<String> known = new HashSet<>(tasks);
      known.addAll(call.parameters().values().keySet());
      List<String> words = keys.command().get().stream().map(files::word).toList();
      CommandWords.check(words, known);
      return new Task.Alternative(
          new Work.CommandWork(words, keys.environment(), Work.Protocol.DEFAULT, call),
          keys.needs().needs());
    }
    Path configuration = files.file(keys.train().orElseThrow());
    if (!Files.exists(configuration)) {
      throw new KeyException(
          "train", "train is %s, which does not exist".formatted(keys.train().get()));
    }
    List<String> settings = new ArrayList<>();
    call.parameters().values().forEach((name, value) -> settings.add(name + "=" + value));
    var _ = ConfigFile.read(configuration).with(settings).withoutData();
    return new Task.Alternative(
        new Work.TrainWork(place.tandem(), configuration, Path.of("").toAbsolutePath(), "", call),
        keys.needs().needs());
  }
}
