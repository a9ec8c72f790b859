package dev.tandem.nn.onnx;

import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.core.protobuf.ProtoWriter;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/** From a model to the bytes of an ONNX file; the numbers of fields are those of onnx.proto. */
final class OnnxWriter {

  /** The version of the file format, of the same time as {@link GraphExport#OPSET}. */
  private static final long IR_VERSION = 8;

  /** Protobuf's own limit. */
  private static final long MAX_BYTES = Integer.MAX_VALUE;

  private OnnxWriter() {}

  static List<MemorySegment> write(OnnxModel model) {
    ProtoWriter message = new ProtoWriter();
    message.varint(1, IR_VERSION);
    message.text(2, "tandem");
    message.message(7, graph(model.graph()));
    ProtoWriter opset = new ProtoWriter();
    opset.text(1, "");
    opset.varint(2, model.opset());
    message.message(8, opset);
    for (Map.Entry<String, String> entry : model.metadata().entrySet()) {
      ProtoWriter pair = new ProtoWriter();
      pair.text(1, entry.getKey());
      pair.text(2, entry.getValue());
      message.message(14, pair);
    }
    if (message.size() > MAX_BYTES) {
      throw new UsageException(
          "an ONNX file must be smaller than 2 GiB, this network needs %d bytes: export safetensors"
              .formatted(message.size()));
    }
    return message.parts();
  }

  private static ProtoWriter graph(OnnxModel.Graph graph) {
    ProtoWriter message = new ProtoWriter();
    graph.nodes().forEach(node -> message.message(1, node(node)));
    message.text(2, "network");
    graph.initializers().forEach(tensor -> message.message(5, tensor(tensor)));
    graph.inputs().forEach(value -> message.message(11, value(value)));
    graph.outputs().forEach(value -> message.message(12, value(value)));
    return message;
  }

  private static ProtoWriter node(OnnxModel.Node node) {
    ProtoWriter message = new ProtoWriter();
    node.inputs().forEach(input -> message.text(1, input));
    node.outputs().forEach(output -> message.text(2, output));
    message.text(3, node.name());
    message.text(4, node.operator());
    node.attributes().forEach((name, value) -> message.message(5, attribute(name, value)));
    return message;
  }

  private static ProtoWriter attribute(String name, OnnxModel.Attribute attribute) {
    ProtoWriter message = new ProtoWriter();
    message.text(1, name);
    long type =
        switch (attribute) {
          case OnnxModel.Attribute.Real(float value) -> {
            message.float32(2, value);
            yield 1;
          }
          case OnnxModel.Attribute.Whole(long value) -> {
            message.varint(3, value);
            yield 2;
          }
          case OnnxModel.Attribute.Text(String value) -> {
            message.text(4, value);
            yield 3;
          }
          case OnnxModel.Attribute.Constant(TensorView value) -> {
            message.message(5, tensor(value));
            yield 4;
          }
          case OnnxModel.Attribute.Reals(List<Float> values) -> {
            values.forEach(value -> message.float32(7, value));
            yield 6;
          }
          case OnnxModel.Attribute.Integers(List<Long> values) -> {
            values.forEach(value -> message.varint(8, value));
            yield 7;
          }
          case OnnxModel.Attribute.Other() ->
              throw new IllegalArgumentException("attribute " + name + " has no value to write");
        };
    message.varint(20, type);
    return message;
  }

  private static ProtoWriter tensor(TensorView tensor) {
    ProtoWriter message = new ProtoWriter();
    tensor.shape().extents().forEach(extent -> message.varint(1, extent));
    message.varint(2, ElementTypes.number(tensor.dtype()));
    message.text(8, tensor.name());
    message.bytes(9, tensor.data());
    return message;
  }

  private static ProtoWriter value(OnnxModel.Value value) {
    ProtoWriter shape = new ProtoWriter();
    for (long extent : value.extents()) {
      ProtoWriter dimension = new ProtoWriter();
      if (extent == OnnxModel.Value.UNKNOWN) {
        dimension.text(2, "batch");
      } else {
        dimension.varint(1, extent);
      }
      shape.message(1, dimension);
    }
    ProtoWriter tensor = new ProtoWriter();
    tensor.varint(1, value.elementType());
    tensor.message(2, shape);
    ProtoWriter type = new ProtoWriter();
    type.message(1, tensor);
    ProtoWriter message = new ProtoWriter();
    message.text(1, value.name());
    message.message(2, type);
    return message;
  }
}
