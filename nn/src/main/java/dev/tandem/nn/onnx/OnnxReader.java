package dev.tandem.nn.onnx;

import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.core.protobuf.ProtoReader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * From the bytes of an ONNX file to what they say; the numbers of fields are those of onnx.proto.
 */
final class OnnxReader {

  private static final int MAX_LIST = 1 << 16;

  private OnnxReader() {}

  static OnnxModel read(MemorySegment file, ExternalData beside) {
    ProtoReader message = new ProtoReader(file, "an ONNX file");
    long opset = 0;
    boolean functions = false;
    Map<String, String> metadata = new LinkedHashMap<>();
    OnnxModel.Graph graph = null;
    while (message.next()) {
      switch (message.field()) {
        case 7 -> graph = graph(message.message(), beside);
        case 8 -> opset = Math.max(opset, standardOpset(message.message()));
        case 14 -> entry(message.message(), metadata);
        case 25 -> {
          functions = true;
          message.skip();
        }
        default -> message.skip();
      }
    }
    if (graph == null) {
      throw message.damaged();
    }
    if (functions) {
      throw new UsageException("the model defines functions: export it without them");
    }
    return new OnnxModel(opset, metadata, graph);
  }

  private static long standardOpset(ProtoReader message) {
    String domain = "";
    long version = 0;
    while (message.next()) {
      switch (message.field()) {
        case 1 -> domain = message.text();
        case 2 -> version = message.varint();
        default -> message.skip();
      }
    }
    return domain.isEmpty() || domain.equals("ai.onnx") ? version : 0;
  }

  /** A key and its value. */
  static void entry(ProtoReader message, Map<String, String> entries) {
    String key = "";
    String value = "";
    while (message.next()) {
      switch (message.field()) {
        case 1 -> key = message.text();
        case 2 -> value = message.text();
        default -> message.skip();
      }
    }
    entries.put(key, value);
  }

  private static OnnxModel.Graph graph(ProtoReader message, ExternalData beside) {
    List<OnnxModel.Node> nodes = new ArrayList<>();
    List<TensorView> initializers = new ArrayList<>();
    List<OnnxModel.Value> inputs = new ArrayList<>();
    List<OnnxModel.Value> outputs = new ArrayList<>();
    while (message.next()) {
      switch (message.field()) {
        case 1 -> nodes.add(node(message.message(), beside));
        case 5 -> initializers.add(TensorReader.read(message.message(), beside));
        case 11 -> inputs.add(value(message.message()));
        case 12 -> outputs.add(value(message.message()));
        case 15 -> throw new UsageException("the model has sparse weights: export it with dense");
        default -> message.skip();
      }
    }
    return new OnnxModel.Graph(nodes, initializers, inputs, outputs);
  }

  private static OnnxModel.Node node(ProtoReader message, ExternalData beside) {
    List<String> inputs = new ArrayList<>();
    List<String> outputs = new ArrayList<>();
    String name = "";
    String operator = "";
    String domain = "";
    Map<String, OnnxModel.Attribute> attributes = new LinkedHashMap<>();
    while (message.next()) {
      switch (message.field()) {
        case 1 -> inputs.add(message.text());
        case 2 -> outputs.add(message.text());
        case 3 -> name = message.text();
        case 4 -> operator = message.text();
        case 5 -> attribute(message.message(), attributes, beside);
        case 7 -> domain = message.text();
        default -> message.skip();
      }
    }
    if (outputs.isEmpty()) {
      throw message.damaged();
    }
    return new OnnxModel.Node(name, operator, domain, inputs, outputs, attributes);
  }

  private static void attribute(
      ProtoReader message, Map<String, OnnxModel.Attribute> attributes, ExternalData beside) {
    String name = "";
    OnnxModel.Attribute value = null;
    long type = 0;
    List<Float> numbers = new ArrayList<>();
    List<Long> integers = new ArrayList<>();
    while (message.next()) {
      switch (message.field()) {
        case 1 -> name = message.text();
        case 2 -> value = new OnnxModel.Attribute.Real(message.float32());
        case 3 -> value = new OnnxModel.Attribute.Whole(message.varint());
        case 4 -> value = new OnnxModel.Attribute.Text(message.text());
        case 5 ->
            value = new OnnxModel.Attribute.Constant(TensorReader.read(message.message(), beside));
        case 7 -> TensorReader.floats(message, numbers);
        case 8 -> TensorReader.varints(message, MAX_LIST, integers);
        case 20 -> type = message.varint();
        default -> message.skip();
      }
    }
    if (type == 6 || !numbers.isEmpty()) {
      value = new OnnxModel.Attribute.Reals(numbers);
    } else if (type == 7 || !integers.isEmpty()) {
      value = new OnnxModel.Attribute.Integers(integers);
    }
    attributes.put(name, value == null ? new OnnxModel.Attribute.Other() : value);
  }

  private static OnnxModel.Value value(ProtoReader message) {
    String name = "";
    long type = 0;
    List<Long> extents = new ArrayList<>();
    while (message.next()) {
      switch (message.field()) {
        case 1 -> name = message.text();
        case 2 -> type = type(message.message(), extents);
        default -> message.skip();
      }
    }
    return new OnnxModel.Value(name, extents, type);
  }

  private static long type(ProtoReader message, List<Long> extents) {
    long elementType = 0;
    while (message.next()) {
      if (message.field() != 1) { // not a tensor
        message.skip();
        continue;
      }
      ProtoReader tensor = message.message();
      while (tensor.next()) {
        switch (tensor.field()) {
          case 1 -> elementType = tensor.varint();
          case 2 -> extents(tensor.message(), extents);
          default -> tensor.skip();
        }
      }
    }
    return elementType;
  }

  private static void extents(ProtoReader shape, List<Long> extents) {
    while (shape.next()) {
      if (shape.field() != 1) {
        shape.skip();
        continue;
      }
      ProtoReader dimension = shape.message();
      long extent = OnnxModel.Value.UNKNOWN;
      while (dimension.next()) {
        if (dimension.field() == 1) {
          extent = dimension.varint();
        } else {
          dimension.skip();
        }
      }
      extents.add(extent);
    }
  }
}
