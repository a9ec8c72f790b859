package dev.tandem.nn.torchscript;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.NetworkSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The forward method of a network in TorchScript: one line for each layer. */
final class ScriptSource {

  private ScriptSource() {}

  static String of(NetworkSpec network) {
    StringBuilder source = new StringBuilder("def forward(self, input: Tensor) -> Tensor:\n");
    Map<String, String> variables = new HashMap<>();
    variables.put(NetworkSpec.INPUT, "input");
    List<List<Shape>> shapes = network.layerInputs();
    for (int i = 0; i < network.nodes().size(); i++) {
      NetworkSpec.Node node = network.nodes().get(i);
      List<String> inputs = node.inputs().stream().map(variables::get).toList();
      String variable = "x" + i;
      String expression = LayerScript.expression(node.layer(), inputs, shapes.get(i));
      source.append("  ").append(variable).append(" = ").append(expression).append('\n');
      variables.put(node.name(), variable);
    }
    String answer = variables.get(network.outputs().getFirst().layer());
    return source.append("  return ").append(answer).append('\n').toString();
  }
}
