package dev.tandem.nn.onnx;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.weights.Elements;
import dev.tandem.nn.weights.PixelNormalisation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A network as an ONNX graph of standard operators, for answers: from a batch of samples of any
 * size to their scores, before any softmax. Weights keep their names.
 */
final class GraphExport {

  /**
   * The oldest version of the operators that has all that we need, layer normalisation the last.
   */
  static final long OPSET = 17;

  /** The key under which the file says, in YAML, which network it was made of. */
  static final String NETWORK = "tandem.network";

  /** Constants and values of what a graph does to pixels. */
  static final String SCALE = "input/scale";

  static final String SHIFT = "input/shift";
  private static final String SCALED = "input/scaled";
  private static final String NORMALISED = "input/normalised";

  private GraphExport() {}

  /** The same model for pixels of 0 to 255 instead of normalised ones. */
  static OnnxModel normalising(OnnxModel model, PixelNormalisation pixels) {
    int channels = pixels.means().size();
    Shape shape = Shape.of(channels, 1, 1);
    TensorView scale = Tensors.filled(SCALE, shape, 0);
    TensorView shift = Tensors.filled(SHIFT, shape, 0);
    for (int channel = 0; channel < channels; channel++) {
      double deviation = pixels.deviations().get(channel);
      Elements.set(scale, channel, 1 / (255 * deviation));
      Elements.set(shift, channel, -pixels.means().get(channel) / deviation);
    }
    return normalising(model, scale, shift);
  }

  static OnnxModel normalising(OnnxModel model, TensorView scale, TensorView shift) {
    ExportNodes first = new ExportNodes();
    first.add("Mul", SCALED, NetworkSpec.INPUT, SCALE);
    first.add("Add", NORMALISED, SCALED, SHIFT);
    List<OnnxModel.Node> nodes = new ArrayList<>(first.nodes());
    for (OnnxModel.Node node : model.graph().nodes()) {
      List<String> inputs =
          node.inputs().stream()
              .map(input -> input.equals(NetworkSpec.INPUT) ? NORMALISED : input)
              .toList();
      nodes.add(
          new OnnxModel.Node(
              node.name(),
              node.operator(),
              node.domain(),
              inputs,
              node.outputs(),
              node.attributes()));
    }
    List<TensorView> constants = new ArrayList<>(model.graph().initializers());
    constants.add(scale);
    constants.add(shift);
    OnnxModel.Graph graph = model.graph();
    Map<String, String> metadata = new TreeMap<>(model.metadata());
    metadata.put(PixelNormalisation.KEY, "(pixel / 255 - mean) / deviation");
    return new OnnxModel(
        model.opset(),
        metadata,
        new OnnxModel.Graph(nodes, constants, graph.inputs(), graph.outputs()));
  }

  /**
   * The model of a network without helper outputs.
   *
   * @param weights the network's parameters and buffers by name
   */
  static OnnxModel export(NetworkSpec network, Map<String, TensorView> weights) {
    ExportNodes nodes = new ExportNodes();
    LayerExport layers = new LayerExport(nodes);
    List<List<Shape>> inputs = network.layerInputs();
    for (int i = 0; i < network.nodes().size(); i++) {
      layers.export(network.nodes().get(i), inputs.get(i));
    }
    List<TensorView> initializers = new ArrayList<>();
    List<ParameterSpec> specs = new ArrayList<>(network.parameters());
    specs.addAll(network.buffers());
    for (ParameterSpec spec : specs) {
      initializers.add(Tensors.asFloat(weights.get(spec.name())));
    }
    initializers.addAll(nodes.constants());
    String answer = network.outputs().getFirst().layer();
    OnnxModel.Graph graph =
        new OnnxModel.Graph(
            nodes.nodes(),
            initializers,
            List.of(value(NetworkSpec.INPUT, network.input())),
            List.of(value(answer, Shape.of(network.classes()))));
    return new OnnxModel(OPSET, Map.of(NETWORK, NetworkYaml.write(network)), graph);
  }

  private static OnnxModel.Value value(String name, Shape sample) {
    List<Long> extents = new ArrayList<>(List.of(OnnxModel.Value.UNKNOWN));
    extents.addAll(sample.extents());
    return new OnnxModel.Value(name, extents, ElementTypes.number(DType.FLOAT32));
  }
}
