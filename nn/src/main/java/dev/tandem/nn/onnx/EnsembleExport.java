package dev.tandem.nn.onnx;

import dev.tandem.core.DType;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.nn.onnx.ExportNodes.Attributes;
import dev.tandem.nn.onnx.OnnxModel.Graph;
import dev.tandem.nn.onnx.OnnxModel.Node;
import dev.tandem.nn.onnx.OnnxModel.Value;
import dev.tandem.nn.spec.LossKind;
import dev.tandem.nn.spec.NetworkSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Several networks in one graph that takes one batch and answers the weighted mean of what they
 * answer: of probabilities where they tell classes apart, else of values. What belongs to a member
 * has its number before its name.
 */
final class EnsembleExport {

  /** The output of a graph that tells classes apart. */
  static final String PROBABILITIES = "probabilities";

  /** The output of a graph that answers values. */
  static final String VALUES = "values";

  private EnsembleExport() {}

  static OnnxModel export(List<OnnxFile.Member> members) {
    NetworkSpec first = members.getFirst().network();
    boolean classes = first.loss() == LossKind.SOFTMAX_CROSS_ENTROPY;
    ExportNodes last = new ExportNodes();
    List<Node> nodes = new ArrayList<>();
    List<TensorView> constants = new ArrayList<>();
    List<Graph> graphs = new ArrayList<>();
    List<String> shares = new ArrayList<>();
    for (int i = 0; i < members.size(); i++) {
      OnnxFile.Member member = members.get(i);
      check(first, member.network(), i);
      String prefix = "member-" + (i + 1) + "/";
      Graph graph = prefixed(graph(member), prefix);
      graphs.add(graph);
      nodes.addAll(graph.nodes());
      constants.addAll(graph.initializers());
      String answer = graph.outputs().getFirst().name();
      String answers =
          classes
              ? last.add(
                  "Softmax",
                  prefix + PROBABILITIES,
                  List.of(answer),
                  new Attributes().whole("axis", 1))
              : answer;
      shares.add(
          last.add(
              "Mul", prefix + "share", answers, last.number(prefix + "weight", member.share())));
    }
    String output = classes ? PROBABILITIES : VALUES;
    last.add("Sum", output, shares, new Attributes());
    nodes.addAll(last.nodes());
    constants.addAll(last.constants());
    Value answer = graphs.getFirst().outputs().getFirst();
    return new OnnxModel(
        GraphExport.OPSET,
        Map.of("tandem.members", Integer.toString(members.size())),
        new Graph(
            nodes,
            constants,
            graphs.getFirst().inputs(),
            List.of(new Value(output, answer.extents(), ElementTypes.number(DType.FLOAT32)))));
  }

  private static Graph graph(OnnxFile.Member member) {
    OnnxModel model =
        GraphExport.export(member.network().withoutHelpers(), member.weights().tensors());
    return member
        .pixels()
        .map(pixels -> GraphExport.normalising(model, pixels))
        .orElse(model)
        .graph();
  }

  private static void check(NetworkSpec first, NetworkSpec other, int member) {
    if (!other.input().equals(first.input())) {
      throw new UsageException(
          "member %d takes samples of %s, but member 1 of %s: one file needs the same input; export"
                  .formatted(member + 1, other.input(), first.input())
              + " each member by itself");
    }
    if (other.classes() != first.classes() || other.loss() != first.loss()) {
      throw new UsageException(
          "member %d answers %d numbers for %s, but member 1 %d for %s"
              .formatted(
                  member + 1,
                  other.classes(),
                  other.loss().word(),
                  first.classes(),
                  first.loss().word()));
    }
  }

  /** The same graph with other names for all but its input. */
  private static Graph prefixed(Graph graph, String prefix) {
    Set<String> inputs = graph.inputs().stream().map(Value::name).collect(Collectors.toSet());
    return new Graph(
        graph.nodes().stream()
            .map(
                node ->
                    new Node(
                        prefix + node.name(),
                        node.operator(),
                        node.domain(),
                        renamed(node.inputs(), prefix, inputs),
                        renamed(node.outputs(), prefix, inputs),
                        node.attributes()))
            .toList(),
        graph.initializers().stream()
            .map(tensor -> Tensors.named(tensor, prefix + tensor.name()))
            .toList(),
        graph.inputs(),
        graph.outputs().stream()
            .map(value -> new Value(prefix + value.name(), value.extents(), value.elementType()))
            .toList());
  }

  private static List<String> renamed(List<String> names, String prefix, Set<String> inputs) {
    return names.stream()
        .map(name -> name.isEmpty() || inputs.contains(name) ? name : prefix + name)
        .toList();
  }
}
