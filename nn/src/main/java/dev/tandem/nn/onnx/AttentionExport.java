package dev.tandem.nn.onnx;

import dev.tandem.core.Shape;
import dev.tandem.nn.onnx.ExportNodes.Attributes;
import dev.tandem.nn.spec.SelfAttention;
import java.util.List;

/**
 * Self-attention in operators. N samples of T tokens of E features; H heads of D features, W = H D.
 */
final class AttentionExport {

  private final ExportNodes nodes;

  AttentionExport(ExportNodes nodes) {
    this.nodes = nodes;
  }

  void export(SelfAttention spec, String input, Shape shape) {
    String name = spec.name();
    long tokens = shape.extents().get(0);
    long width = spec.width(shape.extents().get(1));
    String projected = linear(name, "in_projection", name + "/projected", input, true); // N T 3W
    List<String> blocks = List.of(name + "/queries", name + "/keys", name + "/values");
    nodes.add(
        "Split",
        blocks,
        List.of(projected, nodes.integers(name + "/sizes", width, width, width)),
        new Attributes().whole("axis", 2));
    String byHead = nodes.integers(name + "/heads", 0, tokens, spec.heads(), width / spec.heads());
    String queries = head(blocks.get(0), byHead, 0, 2, 1, 3); // N H T D
    String keys = head(blocks.get(1), byHead, 0, 2, 3, 1); // N H D T
    String values = head(blocks.get(2), byHead, 0, 2, 1, 3); // N H T D
    String products = nodes.add("MatMul", name + "/products", queries, keys);
    double scale = 1 / Math.sqrt((double) width / spec.heads());
    String scores =
        nodes.add("Mul", name + "/scores", products, nodes.number(name + "/scale", scale));
    String shares =
        nodes.add("Softmax", name + "/shares", List.of(scores), new Attributes().whole("axis", -1));
    String answers = nodes.add("MatMul", name + "/answers", shares, values);
    String places =
        nodes.add(
            "Transpose", name + "/places", List.of(answers), LayerExport.permutation(0, 2, 1, 3));
    String rows =
        nodes.add(
            "Reshape", name + "/rows", places, nodes.integers(name + "/shape", 0, tokens, width));
    linear(name, "out_projection", name, rows, spec.outputBias());
  }

  private String head(String block, String byHead, Integer... permutation) {
    String heads = nodes.add("Reshape", block + "/reshaped", block, byHead);
    return nodes.add(
        "Transpose", block + "/heads", List.of(heads), LayerExport.permutation(permutation));
  }

  private String linear(String layer, String role, String output, String input, boolean bias) {
    String prefix = layer + "." + role;
    String weight =
        nodes.add(
            "Transpose",
            layer + "/" + role,
            List.of(prefix + ".weight"),
            LayerExport.permutation(1, 0));
    if (!bias) {
      return nodes.add("MatMul", output, input, weight);
    }
    String product = nodes.add("MatMul", layer + "/" + role + "/product", input, weight);
    return nodes.add("Add", output, product, prefix + ".bias");
  }
}
