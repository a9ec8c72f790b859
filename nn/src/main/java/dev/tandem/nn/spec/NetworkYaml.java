package dev.tandem.nn.spec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Networks from and to YAML. A layer without {@code inputs} stands behind the one before it;
 * without {@code outputs} the last layer is the answer:
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

  private static final ObjectMapper YAML = new YAMLMapper();

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
    try {
      return network(YAML.readTree(text));
    } catch (JsonProcessingException e) {
      String where = e.getLocation() == null ? "" : ":" + e.getLocation().getLineNr();
      throw new UsageException(
          source + where + ": " + e.getOriginalMessage().lines().findFirst().orElse("not YAML"));
    } catch (UsageException e) {
      throw new UsageException(source + ": " + e.getMessage());
    }
  }

  /** The text from which {@link #parse} makes an equal network: a line for each layer. */
  public static String write(NetworkSpec network) {
    StringBuilder text = new StringBuilder();
    text.append("input: ").append(network.input()).append('\n');
    text.append("loss: ").append(network.loss().word()).append('\n');
    text.append("layers:\n");
    String last = NetworkSpec.INPUT;
    for (NetworkSpec.Node node : network.nodes()) {
      text.append("  - ").append(LayerWriter.write(node, last)).append('\n');
      last = node.name();
    }
    if (!network.outputs().equals(List.of(new NetworkSpec.Output(last, 1)))) {
      text.append("outputs:\n");
      for (NetworkSpec.Output output : network.outputs()) {
        text.append("  - {layer: ").append(LayerWriter.text(output.layer()));
        text.append(output.weight() == 1 ? "" : ", weight: " + output.weight()).append("}\n");
      }
    }
    return text.toString();
  }

  /** The network in a part of a larger document; failures name the layer. */
  public static NetworkSpec network(JsonNode root) {
    Fields fields = new Fields("network", root);
    Shape input = Shape.of(fields.longs("input"));
    String word = fields.text("loss", Loss.SOFTMAX_CROSS_ENTROPY.word());
    Loss loss =
        Arrays.stream(Loss.values())
            .filter(value -> value.word().equals(word))
            .findFirst()
            .orElseThrow(() -> new UsageException("unknown loss '" + word + "'"));
    List<NetworkSpec.Node> nodes = new ArrayList<>();
    String last = NetworkSpec.INPUT;
    for (JsonNode layer : fields.list("layers")) {
      Fields layerFields = new Fields("layer " + layer.path("name").asText("without name"), layer);
      List<String> inputs = layerFields.texts("inputs", List.of(last));
      nodes.add(new NetworkSpec.Node(LayerReader.read(layerFields), inputs));
      layerFields.requireAllRead();
      last = nodes.getLast().name();
    }
    List<NetworkSpec.Output> outputs = new ArrayList<>();
    for (JsonNode output : fields.list("outputs")) {
      Fields outputFields = new Fields("output", output);
      outputs.add(
          new NetworkSpec.Output(outputFields.text("layer"), outputFields.number("weight", 1)));
      outputFields.requireAllRead();
    }
    if (outputs.isEmpty()) {
      outputs.add(new NetworkSpec.Output(last, 1));
    }
    fields.requireAllRead();
    return new NetworkSpec(input, nodes, outputs, loss);
  }
}
