package dev.tandem.oracle.cluster;

import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.RecordYaml;
import dev.tandem.nn.yaml.Spelling;
import dev.tandem.nn.yaml.YamlText;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Clusters described in YAML, built in or in a file of the user. */
public final class ClusterFile {

  private static final String ENDING = ".yaml";

  private static final List<String> BUILT_IN = List.of("abci", "summit", ThisMachine.NAME);

  /** What other descriptions of machines call the keys. */
  private static final Map<String, String> MEANT =
      Map.ofEntries(
          Map.entry("gpus-per-node", "devices-per-node"),
          Map.entry("accelerators-per-node", "devices-per-node"),
          Map.entry("ranks-per-node", "devices-per-node"),
          Map.entry("hosts", "nodes"),
          Map.entry("gpu", "device"),
          Map.entry("accelerator", "device"),
          Map.entry("network", "links"),
          Map.entry("device.flop", "device.flops"),
          Map.entry("device.bandwidth", "device.memory-bandwidth"));

  private static final RecordYaml YAML = new RecordYaml(MEANT);

  private ClusterFile() {}

  /** The names of what is built in. */
  public static List<String> names() {
    return BUILT_IN;
  }

  /**
   * The cluster of a built-in name, or else that in a file.
   *
   * @throws UsageException one line that says where and what is wrong
   */
  public static Cluster read(String nameOrFile) {
    if (nameOrFile.equals(ThisMachine.NAME)) {
      return ThisMachine.describe();
    }
    if (BUILT_IN.contains(nameOrFile)) {
      return builtIn(nameOrFile);
    }
    Path file = Path.of(nameOrFile);
    if (!Files.isRegularFile(file)) {
      throw new UsageException(
          "no cluster file %s; expected a file, or one of %s%s"
              .formatted(
                  nameOrFile,
                  String.join(", ", BUILT_IN),
                  Spelling.question(nameOrFile, BUILT_IN)));
    }
    return read(file);
  }

  /**
   * The cluster in a file.
   *
   * @throws UsageException one line that names the file, the line and what is wrong there
   */
  public static Cluster read(Path file) {
    try {
      return parse(file.toString(), Files.readString(file));
    } catch (CharacterCodingException e) {
      throw new UsageException(file + " is not a text file in UTF-8");
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  private static Cluster builtIn(String name) {
    try (InputStream text = ClusterFile.class.getResourceAsStream(name + ENDING)) {
      return parse(name + ENDING, new String(text.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Cluster parse(String name, String text) {
    YamlText yaml = YamlText.parse(name, text);
    return YAML.read(yaml.tree(), Cluster.class, yaml);
  }
}
