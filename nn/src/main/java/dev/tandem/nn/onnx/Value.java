package dev.tandem.nn.onnx;

import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import java.util.List;

/** What a name of an ONNX graph stands for while the graph is read. */
sealed interface Value {

  /**
   * What a layer of ours makes.
   *
   * @param seen the shape of a sample in the ONNX graph; it may have extents of 1 at its end that
   *     the layer's own output has not, after a global pool
   */
  record Layer(String name, Shape seen) implements Value {}

  /** Numbers that are known. */
  record Constant(TensorView tensor) implements Value {}

  /** Extents of a tensor, computed in the graph: the batch's is not known. */
  record Extents(List<Long> values) implements Value {

    static final long BATCH = Long.MIN_VALUE;
  }

  /** A layer's output with zeros around it, which the next operator's window takes in. */
  record Padded(Layer layer, List<Integer> padding) implements Value {}

  /**
   * The result of an operator that may be a part of a layer of ours and is none yet.
   *
   * @param seen the shape of a sample
   */
  record Expression(OnnxModel.Node node, List<Value> operands, Shape seen) implements Value {

    boolean is(String operator) {
      return node.operator().equals(operator);
    }

    Value operand(int index) {
      return operands.get(index);
    }
  }
}
