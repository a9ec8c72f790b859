package dev.tandem.nn.onnx;

import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.Concatenation;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Operators that change shapes alone, or compute them. */
final class ShapeOperators {

  private final ImportState state;
  private final Recognition recognition;

  ShapeOperators(ImportState state, Recognition recognition) {
    this.state = state;
    this.recognition = recognition;
  }

  Value read(OnnxModel.Node node, NodeAttributes attributes) {
    return switch (node.operator()) {
      case "Flatten" -> {
        attributes.require("axis", 1, 1);
        yield flatten(node, recognition.layer(node, 0));
      }
      case "Reshape" -> reshape(node, attributes);
      case "Squeeze" -> squeeze(node, attributes);
      case "Unsqueeze" -> unsqueeze(node, attributes);
      case "Transpose" -> transpose(node, attributes);
      case "Concat" -> concat(node, attributes);
      case "Shape" -> extents(node, attributes);
      case "Gather" -> gather(node, attributes);
      case "Slice" -> slice(node, attributes);
      default -> throw attributes.refused("unknown operator");
    };
  }

  /** The dimensions that a node is about, batch counted, in order. */
  static List<Long> axes(
      ImportState state, OnnxModel.Node node, NodeAttributes attributes, int rank) {
    List<Long> axes =
        state.value(node, 1) instanceof Value.Constant(TensorView tensor)
            ? Tensors.integers(tensor)
            : attributes.integers("axes");
    if (axes == null) {
      throw attributes.refused("without axes");
    }
    return axes.stream().map(axis -> axis < 0 ? axis + rank : axis).sorted().toList();
  }

  private Value flatten(OnnxModel.Node node, Value.Layer input) {
    Shape shape = state.shape(input);
    return shape.extents().size() == 1
        ? new Value.Layer(input.name(), shape)
        : state.add(node, null, Flatten::new, List.of(input), Map.of());
  }

  private Value reshape(OnnxModel.Node node, NodeAttributes attributes) {
    List<Long> target = integers(node, attributes, 1);
    if (state.value(node, 0) instanceof Value.Constant(TensorView tensor)) {
      return new Value.Constant(reshaped(tensor, target, attributes));
    }
    if (target.contains(0L)) {
      attributes.require("allowzero", 0, 0);
    }
    Value input = state.value(node, 0);
    Shape from = Recognition.seen(input, attributes);
    Shape to = sample(target, from, attributes);
    if (input instanceof Value.Layer layer) {
      if (to.equals(from)) {
        return layer;
      }
      if (to.extents().size() == 1) {
        return flatten(node, layer);
      }
    }
    return recognition.read(node, to);
  }

  /** The shape of a sample that a reshape makes, which must leave the batch alone. */
  private Shape sample(List<Long> target, Shape from, NodeAttributes attributes) {
    long elements = from.elements();
    long known = 1;
    List<Long> extents = new ArrayList<>();
    for (int i = 1; i < target.size(); i++) {
      long extent = target.get(i);
      if (extent == 0 && i <= from.extents().size()) {
        extent = from.extents().get(i - 1);
      }
      if (extent < -1) {
        throw attributes.refused("it moves the batch");
      }
      extents.add(extent);
      known = extent == -1 ? known : Math.multiplyExact(known, extent);
    }
    int unknown = extents.indexOf(-1L);
    if (unknown >= 0 && known > 0) {
      extents.set(unknown, elements / known);
    }
    long first = target.isEmpty() ? 1 : target.getFirst();
    boolean batch =
        first == Value.Extents.BATCH || first == 0 || first == -1 || first == state.batch();
    if (!batch
        || extents.contains(-1L)
        || extents.stream().anyMatch(extent -> extent < 1)
        || new Shape(extents).elements() != elements) {
      throw attributes.refused("from samples of %s to %s".formatted(from, target));
    }
    return new Shape(extents);
  }

  private static TensorView reshaped(
      TensorView tensor, List<Long> target, NodeAttributes attributes) {
    long known = 1;
    for (long extent : target) {
      known *= extent > 0 ? extent : 1;
    }
    long rest = known == 0 ? 0 : tensor.shape().elements() / known;
    List<Long> extents = target.stream().map(extent -> extent == -1 ? rest : extent).toList();
    if (extents.stream().anyMatch(extent -> extent < 1)
        || new Shape(extents).elements() != tensor.shape().elements()) {
      throw attributes.refused("a constant of %s as %s".formatted(tensor.shape(), target));
    }
    return Tensors.reshaped(tensor, new Shape(extents));
  }

  private Value squeeze(OnnxModel.Node node, NodeAttributes attributes) {
    if (!(state.value(node, 0) instanceof Value.Layer layer)) {
      return state.value(node, 0) instanceof Value.Extents extents
          ? extents
          : refuse(attributes, "of a constant");
    }
    List<Long> seen = new ArrayList<>(layer.seen().extents());
    for (long axis : axes(state, node, attributes, seen.size() + 1).reversed()) {
      if (axis < 1 || axis > seen.size() || seen.get((int) axis - 1) != 1) {
        throw attributes.refused("axes of " + layer.seen());
      }
      seen.remove((int) axis - 1);
    }
    Shape shape = state.shape(layer);
    return shape.extents().equals(seen)
        ? new Value.Layer(layer.name(), shape)
        : refuse(attributes, "axes of " + layer.seen());
  }

  private Value unsqueeze(OnnxModel.Node node, NodeAttributes attributes) {
    return switch (state.value(node, 0)) {
      case Value.Extents extents -> extents;
      case Value.Constant(TensorView tensor) -> {
        List<Long> extents = new ArrayList<>(tensor.shape().extents());
        for (long axis : axes(state, node, attributes, extents.size() + 1)) {
          extents.add(Math.clamp(axis, 0, extents.size()), 1L);
        }
        yield new Value.Constant(Tensors.reshaped(tensor, new Shape(extents)));
      }
      case null, default -> refuse(attributes, "of samples");
    };
  }

  /** Of a matrix of weights; or of an image whose places stand in a row: its tokens. */
  private Value transpose(OnnxModel.Node node, NodeAttributes attributes) {
    List<Long> order = attributes.integers("perm");
    if (state.value(node, 0) instanceof Value.Constant(TensorView tensor)
        && tensor.shape().extents().size() == 2
        && (order == null || order.equals(List.of(1L, 0L)))) {
      return new Value.Constant(Tensors.transposed(tensor));
    }
    if (state.value(node, 0) instanceof Value.Expression rows
        && rows.is("Reshape")
        && rows.operand(0) instanceof Value.Layer image
        && image.seen().extents().size() >= 3
        && rows.seen().extents().size() == 2
        && rows.seen().extents().getFirst().equals(image.seen().extents().getFirst())
        && List.of(0L, 2L, 1L).equals(order)) {
      return state.add(node, null, Tokens::new, List.of(image), Map.of());
    }
    throw attributes.refused("perm = " + order);
  }

  private Value concat(OnnxModel.Node node, NodeAttributes attributes) {
    List<Value> parts = new ArrayList<>();
    for (int i = 0; i < node.inputs().size(); i++) {
      parts.add(state.value(node, i));
    }
    if (parts.stream().anyMatch(part -> part instanceof Value.Extents)) {
      List<Long> all = new ArrayList<>();
      for (int i = 0; i < parts.size(); i++) {
        all.addAll(integers(node, attributes, i));
      }
      return new Value.Extents(all);
    }
    List<Value.Layer> layers = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      layers.add(recognition.layer(node, i));
    }
    int rank = layers.getFirst().seen().extents().size() + 1;
    long axis = attributes.whole("axis", 1);
    if (axis != 1 && axis + rank != 1) {
      throw attributes.refused("axis = " + axis);
    }
    if (layers.size() == 1) {
      return layers.getFirst();
    }
    Value.Layer joined = state.add(node, null, Concatenation::new, layers, Map.of());
    List<Long> seen = new ArrayList<>(layers.getFirst().seen().extents());
    seen.set(0, joined.seen().extents().getFirst());
    return new Value.Layer(joined.name(), new Shape(seen));
  }

  private Value extents(OnnxModel.Node node, NodeAttributes attributes) {
    List<Long> all = new ArrayList<>(List.of(Value.Extents.BATCH));
    all.addAll(Recognition.seen(state.value(node, 0), attributes).extents());
    long first = place(attributes.whole("start", 0), all.size());
    long last = place(attributes.whole("end", all.size()), all.size());
    return new Value.Extents(all.subList((int) first, (int) Math.max(first, last)));
  }

  private Value gather(OnnxModel.Node node, NodeAttributes attributes) {
    if (!(state.value(node, 0) instanceof Value.Extents(List<Long> all))) {
      throw attributes.refused("of anything but a shape");
    }
    List<Long> picked = new ArrayList<>();
    for (long index : integers(node, attributes, 1)) {
      long place = index < 0 ? index + all.size() : index;
      if (place < 0 || place >= all.size()) {
        throw attributes.refused("index %d of %d".formatted(index, all.size()));
      }
      picked.add(all.get((int) place));
    }
    return new Value.Extents(picked);
  }

  private Value slice(OnnxModel.Node node, NodeAttributes attributes) {
    if (!(state.value(node, 0) instanceof Value.Extents(List<Long> all))
        || node.inputs().size() > 4) {
      throw attributes.refused("of anything but a shape");
    }
    List<Long> starts = integers(node, attributes, 1);
    List<Long> ends = integers(node, attributes, 2);
    if (starts.size() != 1 || ends.size() != 1) {
      throw attributes.refused("of anything but a shape");
    }
    long first = place(starts.getFirst(), all.size());
    long last = Math.max(first, place(ends.getFirst(), all.size()));
    return new Value.Extents(all.subList((int) first, (int) last));
  }

  private static long place(long index, int size) {
    return Math.clamp(index < 0 ? index + size : index, 0, size);
  }

  private List<Long> integers(OnnxModel.Node node, NodeAttributes attributes, int place) {
    return switch (state.value(node, place)) {
      case Value.Constant(TensorView tensor) -> Tensors.integers(tensor);
      case Value.Extents(List<Long> values) -> values;
      case null, default -> throw attributes.refused("its input %d is computed".formatted(place));
    };
  }

  private static Value refuse(NodeAttributes attributes, String why) {
    throw attributes.refused(why);
  }
}
