package dev.tandem.train.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.Progress;
import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.RecordSource;
import dev.tandem.data.augment.ArrayStatistics;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.augment.PixelStatistics;
import dev.tandem.data.decode.DatumDecoder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.nn.Device;
import dev.tandem.nn.exchange.NetworkFiles;
import dev.tandem.nn.models.Models;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.nn.yaml.KeyPlaces;
import dev.tandem.nn.yaml.RecordYaml;
import dev.tandem.nn.yaml.YamlText;
import dev.tandem.parallel.StrategyText;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import dev.tandem.sync.compress.Compression;
import dev.tandem.sync.compress.CompressionRule;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** A configuration as YAML, before it is understood, and where its keys are. Immutable. */
public final class ConfigFile implements KeyPlaces {

  /** Stands for data that a program gives. */
  private static final String GIVEN = "given-by-the-program";

  /** Records that are looked at for their mean. */
  private static final long LOOKED_AT = 1_000;

  /** A longer setting is shortened in messages. */
  private static final int LONGEST_SETTING = 40;

  private static final RecordYaml YAML =
      new RecordYaml(ForeignKeys.MEANT)
          .tree(NetworkSpec.class, ConfigFile::network, networkSchema())
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
              CheckpointConfig.EverySteps::value)
          .scalar(
              StrategyConfig.Pipeline.Order.class,
              StrategyConfig.Pipeline.Order::parse,
              StrategyConfig.Pipeline.Order::word)
          .value(
              StrategyText.class,
              StrategyConfig::text,
              StrategyText::toString,
              StrategyConfig.textSchema());

  private final YamlText text;
  private final ObjectNode root;

  /** What set a key, in the order in which they were set. */
  private final Map<String, String> options;

  private ConfigFile(YamlText text, ObjectNode root, Map<String, String> options) {
    this.text = text;
    this.root = root;
    this.options = options;
  }

  /** What a configuration may say, as a JSON Schema (draft 2020-12), for editors. */
  public static String schema() {
    return YAML.schema(TrainingConfig.class)
        .put("title", "Tandem: a training run")
        .toPrettyString();
  }

  private static ObjectNode networkSchema() {
    ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
    ObjectNode keys = schema.putObject("properties");
    ArrayNode models = keys.putObject("model").putArray("enum");
    Models.names().forEach(models::add);
    keys.putObject("file").put("type", "string");
    keys.putObject("classes").put("type", "integer").put("minimum", 1);
    keys.putObject("layers")
        .put("type", "array")
        .putObject("items")
        .put("type", "object")
        .putArray("required")
        .add("name")
        .add("type");
    ArrayNode one = schema.putArray("oneOf");
    for (String key : List.of("model", "file", "layers")) {
      one.addObject().putArray("required").add(key);
    }
    return schema;
  }

  /** The YAML in a file. */
  public static ConfigFile read(Path file) {
    if (!Files.exists(file)) {
      throw new UsageException(file + " does not exist; ./tandem init writes a configuration");
    }
    if (Files.isDirectory(file)) {
      throw new UsageException(
          file + " is a folder: expected a configuration file; ./tandem init writes one");
    }
    try {
      return parse(file.toString(), Files.readString(file));
    } catch (CharacterCodingException e) {
      throw new UsageException(file + " is not a text file in UTF-8");
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
    YamlText document = YamlText.parse(name, text);
    if (!(document.tree() instanceof ObjectNode root)) {
      throw new UsageException(
          name
              + (document.tree().isMissingNode() ? " is empty" : "")
              + ": expected keys and values; ./tandem init writes a configuration");
    }
    return new ConfigFile(document, root, Map.of());
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
      String option =
          "--set "
              + (setting.length() <= LONGEST_SETTING
                  ? setting
                  : setting.substring(0, equals) + "=...");
      JsonNode value = YamlText.parse(option, setting.substring(equals + 1)).tree();
      changed =
          changed.with(
              setting.substring(0, equals).strip(),
              value.isMissingNode() ? root.nullNode() : value,
              option);
    }
    return changed;
  }

  /** The same with another text under a key, set by the program. */
  public ConfigFile with(String key, String value) {
    return with(key, value, document());
  }

  /**
   * The same with another text under a key.
   *
   * @param option what messages about it name
   */
  public ConfigFile with(String key, String value, String option) {
    return with(key, root.textNode(value), option);
  }

  /**
   * The same with something else under a key.
   *
   * @param option what messages about it name
   */
  public ConfigFile with(String key, JsonNode value, String option) {
    ObjectNode copy = root.deepCopy();
    String[] path = key.split("\\.", -1);
    ObjectNode at = copy;
    for (int i = 0; i < path.length - 1; i++) {
      JsonNode below = at.get(path[i]);
      at = below instanceof ObjectNode section ? section : at.putObject(path[i]);
    }
    at.set(path[path.length - 1], value);
    Map<String, String> set = new LinkedHashMap<>(options);
    set.remove(key);
    set.put(key, option);
    return new ConfigFile(text, copy, set);
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
      return with("fine-tune.init-from", file, nearest("network.file")).bound();
    }
    return bound();
  }

  /** The same, and looks whether the data is there and fits the network. */
  public TrainingConfig checked() {
    TrainingConfig config = config();
    try {
      DataCheck.check(config);
      return config;
    } catch (TandemException e) {
      throw placed(e);
    }
  }

  /** The same without a look at the data, which need not be there: images are not normalised. */
  public TrainingConfig withoutData() {
    return with("data.normalise", "none").with("data.normalise-targets", "none").config();
  }

  /**
   * The same with everything set that is found by looking at the training data, where the
   * configuration leaves it open: for data that a program gives.
   */
  public ConfigFile describing(RecordSource training) {
    ConfigFile described = with("data.train", GIVEN).with("data.test", GIVEN);
    MemorySegment first = training.record(0).value();
    boolean arrays = ArrayRecord.is(first);
    described = described.unlessSet("data.records", arrays ? "arrays" : "images");
    if (!arrays) {
      int channels = described.withoutData().network().input().extents().getFirst().intValue();
      return described.unlessSet(
          "data.normalise",
          () ->
              PixelStatistics.of(training, new DatumDecoder(channels), LOOKED_AT, Progress.SILENT));
    }
    if (!ArrayRecord.decode(first).values().isEmpty()) {
      described = described.unlessSet("loss", "mean-squared-error");
    }
    return described
        .unlessSet("data.normalise", () -> ArrayStatistics.of(training, LOOKED_AT).inputs())
        .unlessSet(
            "data.normalise-targets", () -> ArrayStatistics.of(training, LOOKED_AT).targets());
  }

  private ConfigFile unlessSet(String key, String value) {
    return root.at("/" + key.replace('.', '/')).isMissingNode() ? with(key, value) : this;
  }

  private ConfigFile unlessSet(String key, Supplier<Normalisation> found) {
    JsonNode given = root.at("/" + key.replace('.', '/'));
    if (given.isObject() || given.asText("compute").equals("none")) {
      return this;
    }
    Normalisation numbers = found.get();
    String value =
        "%s={mean: %s, deviation: %s}".formatted(key, numbers.means(), numbers.deviations());
    return with(List.of(value));
  }

  /** Whether {@code ./tandem train} is to choose the strategy. */
  public boolean choosesStrategy() {
    JsonNode strategy = root.path("strategy");
    JsonNode mesh = strategy.isObject() ? strategy.path("mesh") : strategy;
    return mesh.asText().strip().equals(StrategyText.AUTO);
  }

  /** The same with what another one says of how processes share the work. */
  public ConfigFile withStrategyOf(ConfigFile other) {
    JsonNode passes = other.root.at("/batch/accumulation");
    ConfigFile same = with("strategy", other.root.path("strategy"), other.document());
    return passes.isMissingNode()
        ? same
        : same.with("batch.accumulation", passes, other.document());
  }

  /** The same with another network. */
  public ConfigFile withNetwork(NetworkSpec network) {
    String yaml = NetworkYaml.write(network);
    return with("network", YamlText.parse("network", yaml).tree(), "the program's network");
  }

  private TrainingConfig bound() {
    return YAML.read(root, TrainingConfig.class, this);
  }

  @Override
  public String document() {
    return text.document();
  }

  /** The option that set the key or one around it, or else the line that says it. */
  @Override
  public Optional<String> of(String key) {
    return options.entrySet().stream()
        .filter(set -> (key + ".").startsWith(set.getKey() + "."))
        .map(Map.Entry::getValue)
        .reduce((before, last) -> last)
        .or(() -> text.of(key));
  }

  /**
   * The network of a mapping as it stands under {@code network}.
   *
   * @throws UsageException one line, which names the key if it is one
   */
  public static NetworkSpec network(JsonNode tree) {
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
    NetworkFile named = YAML.read(keys, NetworkFile.class);
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
}
