package dev.tandem.nn.onnx;

import dev.tandem.core.TensorView;
import java.util.List;
import java.util.Map;

/**
 * What an ONNX file says, as far as we read it.
 *
 * @param opset version of the standard operators
 * @param metadata words about the model, by key
 */
record OnnxModel(long opset, Map<String, String> metadata, Graph graph) {

  /**
   * The nodes in an order in which each comes after those that feed it.
   *
   * @param initializers constants: the weights, and numbers that operators take as inputs
   */
  record Graph(
      List<Node> nodes, List<TensorView> initializers, List<Value> inputs, List<Value> outputs) {}

  /**
   * One operator.
   *
   * @param domain of the operator; empty for the standard
   * @param inputs names of values; empty names stand for optional inputs that are left out
   */
  record Node(
      String name,
      String operator,
      String domain,
      List<String> inputs,
      List<String> outputs,
      Map<String, Attribute> attributes) {

    /** The first output, by whose name others refer to the result. */
    String output() {
      return outputs.getFirst();
    }

    /** How messages name it: nodes need not have names. */
    String label() {
      return name.isEmpty() ? (outputs.isEmpty() ? "?" : outputs.getFirst()) : name;
    }
  }

  /** A value of a node's attribute. */
  sealed interface Attribute {

    record Real(float value) implements Attribute {}

    record Whole(long value) implements Attribute {}

    record Text(String value) implements Attribute {}

    record Reals(List<Float> values) implements Attribute {}

    record Integers(List<Long> values) implements Attribute {}

    record Constant(TensorView value) implements Attribute {}

    /** Of a kind that no operator of ours has. */
    record Other() implements Attribute {}
  }

  /**
   * An input or output of the graph.
   *
   * @param extents with the batch; {@link #UNKNOWN} for those that have a name instead of a number
   * @param elementType the number that ONNX has for it
   */
  record Value(String name, List<Long> extents, long elementType) {

    static final long UNKNOWN = -1;
  }
}
