package dev.tandem.nn.onnx;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.nn.spec.ParameterSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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

  private GraphExport() {}

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
