package dev.tandem.nn.onnx;

import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerNorm;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.LossKind;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.weights.ImportedNetwork;
import dev.tandem.nn.weights.Weights;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** From an ONNX graph of anybody's to a network of ours, operator by operator. */
final class GraphImport {

  /** Convolutions from which on a residual network will have normalisations. */
  private static final int DEEP = 16;

  private GraphImport() {}

  /**
   * The network and its weights.
   *
   * @param source the file's name, for messages about the weights
   * @param input whose extents take the place of those that the graph leaves open
   */
  static ImportedNetwork read(String source, OnnxModel model, Optional<Shape> input) {
    OnnxModel.Graph graph = model.graph();
    if (graph.outputs().isEmpty()) {
      throw new UsageException("the graph has no output");
    }
    ImportState state = start(graph, input);
    graph.initializers().forEach(t -> state.put(t.name(), new Value.Constant(t)));
    String answer = graph.outputs().getFirst().name();
    if (graph.outputs().size() > 1) {
      state.notes().add("only the first output, %s, is read".formatted(answer));
    }
    List<OnnxModel.Node> nodes = needed(graph, answer);
    OperatorImport operators = new OperatorImport(state, answer, nodes);
    for (OnnxModel.Node node : nodes) {
      operators.read(node);
    }
    Value.Layer last = operators.answer();
    NetworkSpec spec =
        new NetworkSpec(
            state.input(),
            LayerOrder.of(state.layers(), last.name()),
            List.of(new NetworkSpec.Output(last.name(), 1)),
            LossKind.SOFTMAX_CROSS_ENTROPY);
    findMissingNormalisations(state);
    return new ImportedNetwork(
        spec, new Weights(source, state.weights()), state.notes(), state.folded());
  }

  /**
   * Deep residual networks have normalisations. Where there are none, an exporter has folded them:
   * of a network that was not trained so far without a trace, since their biases are 0 and left
   * out.
   */
  private static void findMissingNormalisations(ImportState state) {
    List<LayerSpec> layers = state.layers().stream().map(NetworkSpec.Node::layer).toList();
    List<Convolution> convolutions =
        layers.stream()
            .filter(layer -> layer instanceof Convolution)
            .map(layer -> (Convolution) layer)
            .toList();
    boolean residual = layers.stream().anyMatch(layer -> layer instanceof Add);
    boolean normalised =
        layers.stream()
            .anyMatch(
                layer ->
                    layer instanceof BatchNorm
                        || layer instanceof GroupNorm
                        || layer instanceof LayerNorm);
    if (convolutions.size() < DEEP || !residual || normalised || !state.folded().isEmpty()) {
      return;
    }
    if (convolutions.stream().noneMatch(Convolution::bias)) {
      convolutions.forEach(convolution -> state.folded().add(convolution.name()));
    } else {
      state
          .notes()
          .add(
              "no normalisation beside %d convolutions: if the model has some, export it with them"
                      .formatted(convolutions.size())
                  + " (PyTorch: dynamo=False, training=torch.onnx.TrainingMode.TRAINING)");
    }
  }

  private static ImportState start(OnnxModel.Graph graph, Optional<Shape> given) {
    Set<String> constants = new HashSet<>();
    graph.initializers().forEach(tensor -> constants.add(tensor.name()));
    // Old files list the constants among the inputs.
    List<OnnxModel.Value> inputs =
        graph.inputs().stream().filter(value -> !constants.contains(value.name())).toList();
    if (inputs.size() != 1) {
      throw new UsageException(
          "a network has one input, this graph has %s"
              .formatted(inputs.stream().map(OnnxModel.Value::name).toList()));
    }
    OnnxModel.Value input = inputs.getFirst();
    if (input.elementType() != ElementTypes.FLOAT) {
      throw new UsageException("the input %s must be 32-bit floats".formatted(input.name()));
    }
    List<Long> extents = input.extents();
    List<Long> sample =
        new ArrayList<>(extents.subList(Math.min(1, extents.size()), extents.size()));
    if (given.isPresent() && given.get().extents().size() == sample.size()) {
      List<Long> open = given.get().extents();
      for (int i = 0; i < sample.size(); i++) {
        sample.set(i, sample.get(i) < 1 ? open.get(i) : sample.get(i));
      }
    }
    if (sample.isEmpty() || sample.stream().anyMatch(extent -> extent < 1)) {
      throw new UsageException(
          "the input %s has the extents %s: all but the batch's must be fixed; export the model so,"
                  .formatted(
                      input.name(), extents.stream().map(e -> e < 1 ? "?" : e.toString()).toList())
              + " or for a plan give the shape of a sample with --input");
    }
    return new ImportState(input.name(), new Shape(sample), extents.getFirst());
  }

  /** The nodes that the answer depends on. */
  private static List<OnnxModel.Node> needed(OnnxModel.Graph graph, String answer) {
    Set<String> wanted = new HashSet<>();
    wanted.add(answer);
    List<OnnxModel.Node> needed = new ArrayList<>();
    for (OnnxModel.Node node : graph.nodes().reversed()) {
      if (node.outputs().stream().anyMatch(wanted::contains)) {
        wanted.addAll(node.inputs());
        needed.add(node);
      }
    }
    return needed.reversed();
  }

  /** A constant of this many elements or of none, for roles that may be left out. */
  static TensorView orFilled(TensorView tensor, Shape shape, double value) {
    return tensor == null ? Tensors.filled("", shape, value) : tensor;
  }
}
