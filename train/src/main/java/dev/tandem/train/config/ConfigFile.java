package dev.tandem.train.config;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.UsageException;
import dev.tandem.data.order.Shuffle;
import dev.tandem.nn.Device;
import dev.tandem.nn.exchange.NetworkFiles;
import dev.tandem.nn.models.Models;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.nn.yaml.RecordYaml;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import dev.tandem.sync.compress.Compression;
import dev.tandem.sync.compress.CompressionRule;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A configuration as YAML, before it is understood; immutable. */
public final class ConfigFile {

  /** Keys that are written elsewhere than one may think, or that had another name before. */
  private static final Map<String, String> ELSEWHERE =
      Map.ofEntries(
          Map.entry("model", "network.model"),
          Map.entry("learning-rate", "schedule.rate"),
          Map.entry("lr", "schedule.rate"),
          Map.entry("schedule.lr", "schedule.rate"),
          Map.entry("optimizer.rate", "schedule.rate"),
          Map.entry("optimizer.lr", "schedule.rate"),
          Map.entry("optimizer.learning-rate", "schedule.rate"),
          Map.entry("momentum", "optimizer.momentum"),
          Map.entry("weight-decay", "optimizer.weight-decay"),
          Map.entry("batch-size", "batch.global"),
          Map.entry("batch.size", "batch.global"),
          Map.entry("sync", "synchronisation"),
          Map.entry("libtorch", "engine.libtorch"));

  private static final RecordYaml YAML =
      new RecordYaml(ELSEWHERE)
          .tree(NetworkSpec.class, ConfigFile::network)
          .scalar(Device.class, Device::new, Device::name)
          .scalar(Shuffle.class, Shuffle::parse, Shuffle::toString)
          .scalar(Compression.class, Compression::of, Compression::code)
          .scalar(
              CompressionRule.Clause.class,
              CompressionRule.Clause::of,
              CompressionRule.Clause::toString)
          .scalar(
              CheckpointConfig.EverySteps.class,
              CheckpointConfig.EverySteps::parse,
              CheckpointConfig.EverySteps::value);

  private final String name;
  private final String text;
  private final ObjectNode root;
  private final Set<String> changed;

  private ConfigFile(String name, String text, ObjectNode root, Set<String> changed) {
    this.name = name;
    this.text = text;
    this.root = root;
    this.changed = changed;
  }

  /** The YAML in a file. */
  public static ConfigFile read(Path file) {
    if (!Files.exists(file)) {
      throw new UsageException(file + " does not exist; ./tandem init writes a configuration");
    }
    try {
      return parse(file.toString(), Files.readString(file));
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  /**
   * The YAML in a text.
   *
   * @param name what failures call it
   */
  public static ConfigFile parse(String name, String text) {
    JsonNode tree = tree(name, text);
    if (!(tree instanceof ObjectNode root)) {
      throw new UsageException(name + ": expected keys and values");
    }
    return new ConfigFile(name, text, root, Set.of());
  }

  /**
   * The same with some values changed.
   *
   * @param settings each {@code key=value}, where a key below another is {@code batch.global} and a
   *     value is YAML
   */
  public ConfigFile with(List<String> settings) {
    ConfigFile changed = this;
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      if (equals < 1) {
        throw new UsageException("--set " + setting + ": expected KEY=VALUE");
      }
      JsonNode value = tree("--set " + setting, setting.substring(equals + 1));
      changed = changed.with(setting.substring(0, equals).strip(), value);
    }
    return changed;
  }

  /** The same with another text under a key. */
  public ConfigFile with(String key, String value) {
    return with(key, root.textNode(value));
  }

  private ConfigFile with(String key, JsonNode value) {
    ObjectNode copy = root.deepCopy();
    String[] path = key.split("\\.", -1);
    ObjectNode at = copy;
    for (int i = 0; i < path.length - 1; i++) {
      JsonNode below = at.get(path[i]);
      at = below instanceof ObjectNode section ? section : at.putObject(path[i]);
    }
    at.set(path[path.length - 1], value);
    Set<String> keys = new HashSet<>(changed);
    keys.add(key);
    return new ConfigFile(name, text, copy, keys);
  }

  /**
   * Understands it: every default is filled in and every value checked. Files that it names are
   * sought from the working directory.
   */
  public TrainingConfig config() {
    String file = root.path("network").path("file").asText();
    if (!file.isEmpty()
        && root.at("/fine-tune/init-from").isMissingNode()
        && NetworkFiles.hasWeights(Path.of(file))) {
      return with("fine-tune.init-from", file).bound();
    }
    return bound();
  }

  private TrainingConfig bound() {
    return YAML.read(root, TrainingConfig.class, this::where);
  }

  /** The file, and the line of a key if the key stands there. */
  private String where(String key) {
    String dotted = key + ".";
    if (changed.stream()
        .map(set -> set + ".")
        .anyMatch(set -> set.startsWith(dotted) || dotted.startsWith(set))) {
      return name;
    }
    String wanted = "/" + key.replace('.', '/');
    try (JsonParser parser = YAML.mapper().createParser(text)) {
      while (parser.nextToken() != null) {
        if (parser.currentToken() == JsonToken.FIELD_NAME
            && parser.getParsingContext().pathAsPointer().toString().equals(wanted)) {
          return name + ":" + parser.currentTokenLocation().getLineNr();
        }
      }
    } catch (IOException e) {
      // The tree was read from the same text, so this does not happen; the file is named anyway.
    }
    return name;
  }

  private static NetworkSpec network(JsonNode tree) {
    if (tree.has("layers")) {
      return NetworkYaml.network(tree);
    }
    if (!(tree instanceof ObjectNode) || tree.has("model") == tree.has("file")) {
      throw new UsageException(
          "expected one of model (a known network), file (a network in YAML or ONNX) and layers");
    }
    ObjectNode keys = tree.deepCopy();
    if (tree.has("model")) {
      return Models.named(keys.remove("model").asText(), keys);
    }
    NetworkFile named = YAML.read(keys, NetworkFile.class, key -> "file");
    NetworkSpec network = NetworkFiles.read(Path.of(named.file())).spec();
    return named.classes().map(network::withClasses).orElse(network);
  }

  /** A network in a file, perhaps with another number of classes. */
  private record NetworkFile(String file, Optional<Integer> classes) {}

  static void write(TrainingConfig config, Path file) {
    ByteBuffer bytes = ByteBuffer.wrap(text(config).getBytes(StandardCharsets.UTF_8));
    DurableFiles.system().replace(file, bytes);
  }

  /** A configuration with every key written out, the network layer by layer. */
  static String text(TrainingConfig config) {
    return YAML.write(config) + "network:\n" + NetworkYaml.write(config.network()).indent(2);
  }

  private static JsonNode tree(String name, String text) {
    try {
      return YAML.mapper().readTree(text);
    } catch (JsonProcessingException e) {
      String where = e.getLocation() == null ? "" : ":" + e.getLocation().getLineNr();
      throw new UsageException(
          name + where + ": " + e.getOriginalMessage().lines().findFirst().orElse("not YAML"));
    }
  }
}
