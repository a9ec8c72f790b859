package dev.tandem.nn.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import dev.tandem.nn.yaml.KeyException;
import dev.tandem.nn.yaml.RecordYaml;
import dev.tandem.nn.yaml.YamlText;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Networks from and to YAML. A layer without {@code inputs} follows the one before it; without
 * {@code outputs} the last layer is the answer:
 *
 * <pre>{@code
 * input: [1, 28, 28]
 * loss: softmax-cross-entropy   # the default
 * layers:
 *   - {name: conv1, type: convolution, filters: 16, kernel: 3, padding: 1}
 *   - {name: pool1, type: max-pool, kernel: 2, stride: 2}
 *   - {name: relu1, type: relu}
 *   - {name: flatten, type: flatten}
 *   - {name: scores, type: fully-connected, outputs: 10}
 * }</pre>
 */
public final class NetworkYaml {

  private static final RecordYaml YAML = new RecordYaml(Map.of());

  private NetworkYaml() {}

  /**
   * The network in this file.
   *
   * @throws UsageException one line that names the file, the layer and what is wrong with it
   */
  public static NetworkSpec read(Path file) {
    try {
      return parse(file.toString(), Files.readString(file));
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  /**
   * The network in this text.
   *
   * @param source where the text comes from, for messages
   */
  public static NetworkSpec parse(String source, String text) {
    YamlText document = YamlText.parse(source, text);
    try {
      return network(document.tree());
    } catch (KeyException e) {
      throw new UsageException(document.nearest(e.key()) + ": " + e.getMessage());
    } catch (UsageException e) {
      throw new UsageException(source + ": " + e.getMessage());
    }
  }

  /** The text from which {@link #parse} makes an equal network: one line per layer. */
  public static String write(NetworkSpec network) {
    StringBuilder text = new StringBuilder();
    text.append("input: ").append(network.input()).append('\n');
    text.append("loss: ").append(network.loss().word()).append('\n');
    text.append("layers:\n");
    String last = NetworkSpec.INPUT;
    for (NetworkSpec.Node node : network.nodes()) {
      text.append("  - ").append(LayerYaml.write(node, last)).append('\n');
      last = node.name();
    }
    if (!network.outputs().equals(List.of(new NetworkSpec.Output(last, 1)))) {
      text.append("outputs:\n");
      for (NetworkSpec.Output output : network.outputs()) {
        text.append("  - {layer: ").append(LayerYaml.text(output.layer()));
        text.append(output.weight() == 1 ? "" : ", weight: " + output.weight()).append("}\n");
      }
    }
    return text.toString();
  }

  /** The network in a part of a larger document; failures name the layer. */
  public static NetworkSpec network(JsonNode root) {
    Document document = YAML.read(root, Document.class);
    List<NetworkSpec.Node> nodes = new ArrayList<>();
    String last = NetworkSpec.INPUT;
    for (JsonNode layer : document.layers()) {
      String key = "layers[" + nodes.size() + "]";
      if (!(layer instanceof ObjectNode)) {
        throw new KeyException(key, "layers: expected keys and values, not " + layer);
      }
      ObjectNode keys = layer.deepCopy();
      JsonNode inputs = keys.remove("inputs");
      try {
        nodes.add(new NetworkSpec.Node(LayerYaml.read(keys), inputs(inputs, last)));
      } catch (KeyException e) {
        throw new KeyException(key + "." + e.key(), e.getMessage());
      }
      last = nodes.getLast().name();
    }
    List<NetworkSpec.Output> outputs =
        document.outputs().isEmpty()
            ? List.of(new NetworkSpec.Output(last, 1))
            : document.outputs();
    long[] input = document.input().stream().mapToLong(Long::longValue).toArray();
    try {
      return new NetworkSpec(Shape.of(input), nodes, outputs, document.loss());
    } catch (UsageException e) {
      throw new KeyException(layer(nodes, e.getMessage()), e.getMessage());
    }
  }

  /** The key of the layer that a message begins with; else of all of them. */
  private static String layer(List<NetworkSpec.Node> nodes, String message) {
    for (int i = 0; i < nodes.size(); i++) {
      String begin = "layer " + nodes.get(i).name();
      if (message.startsWith(begin + ":") || message.startsWith(begin + " ")) {
        return "layers[" + i + "]";
      }
    }
    return "layers";
  }

  private static List<String> inputs(JsonNode inputs, String last) {
    if (inputs == null) {
      return List.of(last);
    }
    return inputs.isArray()
        ? inputs.valueStream().map(JsonNode::asText).toList()
        : List.of(inputs.asText());
  }

  /** The keys of a network. */
  private record Document(
      List<Long> input,
      @Default("softmax-cross-entropy") LossKind loss,
      @Default("[]") List<JsonNode> layers,
      @Default("[]") List<NetworkSpec.Output> outputs) {}
}
