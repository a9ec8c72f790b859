package dev.tandem.nn.onnx;

import dev.tandem.core.UsageException;
import java.util.List;

/** The attributes of a node with their defaults; and what is wrong with the node, said its way. */
record NodeAttributes(OnnxModel.Node node) {

  long whole(String name, long otherwise) {
    return switch (node.attributes().get(name)) {
      case null -> otherwise;
      case OnnxModel.Attribute.Whole(long value) -> value;
      default -> throw refused("attribute " + name + " is no integer");
    };
  }

  double number(String name, double otherwise) {
    return switch (node.attributes().get(name)) {
      case null -> otherwise;
      // The decimal number that the author wrote, not the digits that a float adds to it.
      case OnnxModel.Attribute.Real(float value) -> Double.parseDouble(Float.toString(value));
      default -> throw refused("attribute " + name + " is no number");
    };
  }

  String text(String name, String otherwise) {
    return switch (node.attributes().get(name)) {
      case null -> otherwise;
      case OnnxModel.Attribute.Text(String value) -> value;
      default -> throw refused("attribute " + name + " is no text");
    };
  }

  /** A list of integers, or null if it is not there. */
  List<Long> integers(String name) {
    return switch (node.attributes().get(name)) {
      case null -> null;
      case OnnxModel.Attribute.Integers(List<Long> values) -> values;
      default -> throw refused("attribute " + name + " is no list of integers");
    };
  }

  /** Fails unless an attribute has the one value that we have. */
  void require(String name, long value, long otherwise) {
    if (whole(name, otherwise) != value) {
      throw refused("%s = %d".formatted(name, whole(name, otherwise)));
    }
  }

  UsageException refused(String why) {
    return new UsageException(
        "node %s: operator %s: Tandem has no layer for it (%s)"
            .formatted(node.label(), node.operator(), why));
  }
}
