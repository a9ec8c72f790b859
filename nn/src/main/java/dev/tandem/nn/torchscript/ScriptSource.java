package dev.tandem.nn.torchscript;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.NetworkSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The source text of an archive: a class for each module, of which the outermost has the forward
 * method, with one line for each layer.
 */
final class ScriptSource {

  /** The package that PyTorch expects the classes of an archive in. */
  static final String PACKAGE = "__torch__";

  private ScriptSource() {}

  static String of(NetworkSpec network, ScriptModule root) {
    StringBuilder source = new StringBuilder();
    members(root, source);
    forward(network, source);
    inner(root, source);
    return source.toString();
  }

  /** A member's name as a string, since it need not be an identifier. */
  static String quoted(String name) {
    StringBuilder text = new StringBuilder("\"");
    for (int i = 0; i < name.length(); i++) {
      char letter = name.charAt(i);
      if (letter < ' ') {
        text.append("\\%03o".formatted((int) letter));
      } else {
        text.append(letter == '"' || letter == '\\' ? "\\" : "").append(letter);
      }
    }
    return text.append('"').toString();
  }

  private static void inner(ScriptModule module, StringBuilder source) {
    for (ScriptModule each : module.modules().values()) {
      members(each, source);
      inner(each, source);
    }
  }

  private static void members(ScriptModule module, StringBuilder source) {
    source.append("class ").append(module.type()).append("(Module):\n");
    source.append("  __parameters__ = ").append(names(module, true)).append('\n');
    source.append("  __buffers__ = ").append(names(module, false)).append('\n');
    source.append("  ").append(ScriptModule.TRAINING).append(" : bool\n");
    module.tensors().keySet().forEach(name -> member(name, "Tensor", source));
    module.modules().forEach((name, each) -> member(name, PACKAGE + "." + each.type(), source));
  }

  private static void member(String name, String type, StringBuilder source) {
    source.append("  __annotations__[%s] = %s\n".formatted(quoted(name), type));
  }

  private static List<String> names(ScriptModule module, boolean parameters) {
    return module.tensors().entrySet().stream()
        .filter(tensor -> tensor.getValue().parameter() == parameters)
        .map(tensor -> quoted(tensor.getKey()))
        .toList();
  }

  private static void forward(NetworkSpec network, StringBuilder source) {
    source.append("  def ").append(ScriptModule.FORWARD);
    source.append("(self, input: Tensor) -> Tensor:\n");
    Map<String, String> variables = new HashMap<>();
    variables.put(NetworkSpec.INPUT, "input");
    List<List<Shape>> shapes = network.layerInputs();
    for (int i = 0; i < network.nodes().size(); i++) {
      NetworkSpec.Node node = network.nodes().get(i);
      List<String> inputs = node.inputs().stream().map(variables::get).toList();
      String variable = "x" + i;
      String expression = LayerScript.expression(node.layer(), inputs, shapes.get(i));
      source.append("    ").append(variable).append(" = ").append(expression).append('\n');
      variables.put(node.name(), variable);
    }
    String answer = variables.get(network.outputs().getFirst().layer());
    source.append("    return ").append(answer).append('\n');
  }
}
