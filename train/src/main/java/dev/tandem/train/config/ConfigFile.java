package dev.tandem.train.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A configuration as YAML, before it is understood; immutable. */
public final class ConfigFile {

  private static final ObjectMapper YAML =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .build();

  private final String name;
  private final ObjectNode root;

  private ConfigFile(String name, ObjectNode root) {
    this.name = name;
    this.root = root;
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
      throw new UsageException(name + ": keys and values are expected");
    }
    return new ConfigFile(name, root);
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
        throw new UsageException("--set " + setting + ": key=value is expected");
      }
      JsonNode value = tree("--set " + setting, setting.substring(equals + 1));
      changed = changed.with(setting.substring(0, equals).strip(), value);
    }
    return changed;
  }

  /** The same with another text under a key. */
  public ConfigFile with(String key, String text) {
    return with(key, root.textNode(text));
  }

  private ConfigFile with(String key, JsonNode value) {
    ObjectNode changed = root.deepCopy();
    String[] path = key.split("\\.", -1);
    ObjectNode at = changed;
    for (int i = 0; i < path.length - 1; i++) {
      JsonNode below = at.get(path[i]);
      at = below instanceof ObjectNode section ? section : at.putObject(path[i]);
    }
    at.set(path[path.length - 1], value);
    return new ConfigFile(name, changed);
  }

  /**
   * Understands it: every default is filled in and every value checked. Files that it names are
   * sought from the working directory.
   */
  public TrainingConfig config() {
    try {
      return new ConfigReader(root).read();
    } catch (UsageException e) {
      throw new UsageException(name + ": " + e.getMessage());
    }
  }

  static void write(TrainingConfig config, Path file) {
    ByteBuffer bytes = ByteBuffer.wrap(text(config).getBytes(StandardCharsets.UTF_8));
    DurableFiles.system().replace(file, bytes);
  }

  /** A configuration with every key written out, the network layer by layer. */
  static String text(TrainingConfig config) {
    try {
      return YAML.writeValueAsString(ConfigTree.of(config))
          + "network:\n"
          + NetworkYaml.write(config.network()).indent(2);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode tree(String name, String text) {
    try {
      return YAML.readTree(text);
    } catch (JsonProcessingException e) {
      String where = e.getLocation() == null ? "" : ":" + e.getLocation().getLineNr();
      throw new UsageException(
          name + where + ": " + e.getOriginalMessage().lines().findFirst().orElse("not YAML"));
    }
  }
}
