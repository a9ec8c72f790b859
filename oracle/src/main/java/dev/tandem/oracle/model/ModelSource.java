package dev.tandem.oracle.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.exchange.NetworkFiles;
import dev.tandem.nn.models.Models;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.nn.weights.ImportedNetwork;
import dev.tandem.nn.yaml.KeyException;
import dev.tandem.nn.yaml.Spelling;
import dev.tandem.nn.yaml.YamlText;
import dev.tandem.posix.FileErrors;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.TrainingConfig;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The network that a plan is for: a built-in one, one in YAML or ONNX, or that of a training
 * configuration or run. Immutable. Weights of ONNX files are not loaded.
 *
 * @param name what tables call it
 * @param training the configuration, if the network is that of one; with its own network
 * @param notes what the user should know of the way it was read, one line each
 */
public record ModelSource(
    String name, NetworkSpec network, Optional<TrainingConfig> training, List<String> notes) {

  /**
   * What is to be different from the model as it is.
   *
   * @param input shape of a sample
   * @param classes numbers in the answer
   */
  public record Changes(Optional<Shape> input, OptionalInt classes) {

    public static final Changes NONE = new Changes(Optional.empty(), OptionalInt.empty());

    /**
     * The shape of a sample in a text.
     *
     * @param option what messages call it
     * @param text such as {@code 3x224x224}
     */
    public static Shape shape(String option, String text) {
      try {
        long[] extents = Arrays.stream(text.split("x", -1)).mapToLong(Long::parseLong).toArray();
        if (Arrays.stream(extents).allMatch(extent -> extent > 0)) {
          return Shape.of(extents);
        }
      } catch (NumberFormatException e) {
        // said below
      }
      throw new UsageException(
          "%s is '%s', expected the extents of a sample, such as 3x224x224 (channels, height,"
                  .formatted(option, text)
              + " width)");
    }
  }

  public ModelSource {
    notes = List.copyOf(notes);
  }

  /**
   * Finds a model.
   *
   * @param model a built-in name; a mapping of {@code model} and what it takes, as under {@code
   *     network} in a configuration; or a file: a network in YAML or ONNX, a training
   *     configuration, or the folder of a run
   * @throws UsageException one line that names the file or name and what is wrong with it
   */
  public static ModelSource read(String model, Changes changes) {
    if (model.startsWith("{")) {
      return inline(model, changes);
    }
    if (contains(Models.names(), model)) {
      return changed(model, builtIn(model, changes), changes);
    }
    Path file = Path.of(model);
    if (Files.isDirectory(file)) {
      file = file.resolve(TrainingConfig.FILE);
    }
    if (!Files.exists(file)) {
      List<String> names = new ArrayList<>();
      Models.names().forEach(names::add);
      throw new UsageException(
          "no model %s; expected a file (.yaml, .onnx), the folder of a run, or one of %s%s"
              .formatted(model, String.join(", ", names), Spelling.question(model, names)));
    }
    String ending = file.toString();
    return ending.endsWith(".yaml") || ending.endsWith(".yml")
        ? yaml(file, changes)
        : imported(file, changes);
  }

  private static boolean contains(Iterable<String> names, String name) {
    for (String known : names) {
      if (known.equals(name)) {
        return true;
      }
    }
    return false;
  }

  private static NetworkSpec builtIn(String name, Changes changes) {
    var arguments = JsonNodeFactory.instance.objectNode();
    changes.classes().ifPresent(classes -> arguments.put("classes", classes));
    return Models.named(name, arguments);
  }

  private static ModelSource inline(String text, Changes changes) {
    YamlText yaml = YamlText.parse("model", text);
    JsonNode tree = yaml.tree();
    try {
      NetworkSpec network = ConfigFile.network(tree);
      return changed(tree.path("model").asText(text), network, changes);
    } catch (KeyException e) {
      throw new UsageException("model %s: %s".formatted(text, e.getMessage()));
    }
  }

  private static ModelSource yaml(Path file, Changes changes) {
    String text;
    try {
      text = Files.readString(file);
    } catch (CharacterCodingException e) {
      throw new UsageException(file + " is not a text file in UTF-8");
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
    JsonNode tree = YamlText.parse(file.toString(), text).tree();
    if (tree.has("layers")) {
      return changed(name(file), NetworkYaml.parse(file.toString(), text), changes);
    }
    if (!tree.has("network")) {
      throw new UsageException(
          file
              + ": expected a network (input, layers) or a training configuration (network, data)");
    }
    TrainingConfig training = ConfigFile.parse(file.toString(), text).withoutData();
    ModelSource found = changed(name(file), training.network(), changes);
    return new ModelSource(found.name, found.network, Optional.of(training), found.notes);
  }

  private static ModelSource imported(Path file, Changes changes) {
    ImportedNetwork imported = NetworkFiles.read(file, changes.input());
    List<String> notes = new ArrayList<>(imported.notes());
    NetworkSpec network = imported.spec();
    if (!imported.folded().isEmpty()) {
      network = FoldedNormalisations.unfold(network, imported.folded());
      notes.add(
          "%s was written for inference: the batch normalisations folded into %d convolutions are"
                  .formatted(file.getFileName(), imported.folded().size())
              + " put back, as training has them");
    }
    ModelSource found = changed(name(file), network, changes);
    return new ModelSource(found.name, found.network, Optional.empty(), notes);
  }

  private static String name(Path file) {
    return file.getFileName().toString();
  }

  private static ModelSource changed(String name, NetworkSpec network, Changes changes) {
    NetworkSpec changed = network;
    try {
      if (changes.classes().isPresent() && network.classes() != changes.classes().getAsInt()) {
        changed = changed.withClasses(changes.classes().getAsInt());
      }
      if (changes.input().isPresent()) {
        changed = changed.withInput(changes.input().get());
      }
    } catch (UsageException e) {
      throw new UsageException("model %s: %s".formatted(name, e.getMessage()));
    }
    return new ModelSource(name, changed, Optional.empty(), List.of());
  }
}
