package dev.tandem.nn.onnx;

import dev.tandem.core.Shape;
import dev.tandem.nn.onnx.ExportNodes.Attributes;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Concatenation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerNorm;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Positions;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.nn.spec.TokenMean;
import dev.tandem.nn.spec.Tokens;
import dev.tandem.nn.spec.Window;
import java.util.ArrayList;
import java.util.List;

/** One layer as one node, or as several where ONNX has no such operator. */
final class LayerExport {

  private final ExportNodes nodes;

  LayerExport(ExportNodes nodes) {
    this.nodes = nodes;
  }

  /** Adds the nodes of a layer; the value that it makes has its name. */
  void export(NetworkSpec.Node node, List<Shape> shapes) {
    String name = node.name();
    String input = node.inputs().getFirst();
    Shape shape = shapes.getFirst();
    switch (node.layer()) {
      case Activation spec -> activation(spec, input);
      case Add _ -> nodes.add(node.inputs().size() == 2 ? "Add" : "Sum", name, array(node));
      case AveragePool spec -> new AveragePoolExport(nodes).export(spec, input, shape);
      case BatchNorm spec ->
          nodes.add(
              "BatchNormalization",
              name,
              List.of(
                  input,
                  name + ".weight",
                  name + ".bias",
                  name + ".running_mean",
                  name + ".running_var"),
              new Attributes()
                  .number("epsilon", spec.epsilon())
                  .number("momentum", 1 - spec.momentum()));
      case Concatenation _ ->
          nodes.add("Concat", name, node.inputs(), new Attributes().whole("axis", 1));
      case Convolution spec ->
          nodes.add(
              "Conv",
              name,
              spec.bias()
                  ? List.of(input, name + ".weight", name + ".bias")
                  : List.of(input, name + ".weight"),
              window(spec.window(), shape)
                  .integers("dilations", over(spec.window(), shape).dilation())
                  .whole("group", spec.groups()));
      case Dropout spec ->
          nodes.add("Dropout", name, input, nodes.number(name + "/ratio", spec.probability()));
      case Exchange exchange -> throw exchange.refused();
      case Flatten _ -> nodes.add("Flatten", name, input);
      case FullyConnected spec -> fullyConnected(spec, input, shape);
      case GlobalPool spec -> {
        String operator =
            spec.of() == GlobalPool.Kind.AVERAGE ? "GlobalAveragePool" : "GlobalMaxPool";
        nodes.add("Flatten", name, nodes.add(operator, name + "/pool", input));
      }
      case GroupNorm spec -> groupNorm(spec, input, shape);
      case LayerNorm spec ->
          nodes.add(
              "LayerNormalization",
              name,
              List.of(input, name + ".weight", name + ".bias"),
              new Attributes().number("epsilon", spec.epsilon()).whole("axis", -1));
      case LocalResponseNorm spec -> localResponseNorm(spec, input, shape);
      case MaxPool spec ->
          nodes.add(
              "MaxPool",
              name,
              List.of(input),
              window(spec.window(), shape)
                  .integers("dilations", over(spec.window(), shape).dilation())
                  .whole("ceil_mode", spec.ceil() ? 1 : 0));
      case Positions _ -> nodes.add("Add", name, input, name + ".weight");
      case SelfAttention spec -> new AttentionExport(nodes).export(spec, input, shape);
      case TokenMean _ ->
          nodes.add(
              "ReduceMean",
              name,
              List.of(input),
              new Attributes().integers("axes", List.of(1)).whole("keepdims", 0));
      case Tokens _ -> {
        String places = nodes.integers(name + "/shape", 0, shape.extents().getFirst(), -1);
        String rows = nodes.add("Reshape", name + "/rows", input, places);
        nodes.add("Transpose", name, List.of(rows), permutation(0, 2, 1));
      }
    }
  }

  static Attributes permutation(Integer... places) {
    return new Attributes().integers("perm", List.of(places));
  }

  private void activation(Activation spec, String input) {
    String name = spec.name();
    switch (spec.function()) {
      case RELU -> nodes.add("Relu", name, input);
      case LEAKY_RELU ->
          nodes.add(
              "LeakyRelu", name, List.of(input), new Attributes().number("alpha", spec.slope()));
      case SIGMOID -> nodes.add("Sigmoid", name, input);
      case TANH -> nodes.add("Tanh", name, input);
      case SILU -> nodes.add("Mul", name, input, nodes.add("Sigmoid", name + "/sigmoid", input));
      case GELU -> {
        // x (1 + erf(x / sqrt 2)) / 2; the operator Gelu is younger than our version of ONNX.
        String root = nodes.number(name + "/root", Math.sqrt(2));
        String scaled = nodes.add("Div", name + "/scaled", input, root);
        String erf = nodes.add("Erf", name + "/erf", scaled);
        String one = nodes.number(name + "/one", 1);
        String share = nodes.add("Add", name + "/share", erf, one);
        String twice = nodes.add("Mul", name + "/twice", input, share);
        nodes.add("Mul", name, twice, nodes.number(name + "/half", 0.5));
      }
    }
  }

  private void fullyConnected(FullyConnected spec, String input, Shape shape) {
    String name = spec.name();
    if (shape.extents().size() == 1) {
      List<String> inputs = new ArrayList<>(List.of(input, name + ".weight"));
      if (spec.bias()) {
        inputs.add(name + ".bias");
      }
      nodes.add("Gemm", name, inputs, new Attributes().whole("transB", 1));
      return;
    }
    String weight =
        nodes.add("Transpose", name + "/weight", List.of(name + ".weight"), permutation(1, 0));
    if (spec.bias()) {
      nodes.add("Add", name, nodes.add("MatMul", name + "/product", input, weight), name + ".bias");
    } else {
      nodes.add("MatMul", name, input, weight);
    }
  }

  /** Each group as a channel of its own is normalised; then each channel is scaled and shifted. */
  private void groupNorm(GroupNorm spec, String input, Shape shape) {
    String name = spec.name();
    String byGroup = nodes.integers(name + "/groups", 0, spec.groups(), -1);
    String groups = nodes.add("Reshape", name + "/grouped", input, byGroup);
    String normal =
        nodes.add(
            "InstanceNormalization",
            name + "/normal",
            List.of(
                groups,
                nodes.filled(name + "/ones", Shape.of(spec.groups()), 1),
                nodes.filled(name + "/zeros", Shape.of(spec.groups()), 0)),
            new Attributes().number("epsilon", spec.epsilon()));
    long[] whole = new long[shape.extents().size() + 1];
    long[] channel = new long[shape.extents().size()];
    for (int i = 0; i < channel.length; i++) {
      whole[i + 1] = shape.extents().get(i);
      channel[i] = i == 0 ? whole[1] : 1;
    }
    String back =
        nodes.add("Reshape", name + "/back", normal, nodes.integers(name + "/shape", whole));
    String perChannel = nodes.integers(name + "/channels", channel);
    String weight = nodes.add("Reshape", name + "/weight", name + ".weight", perChannel);
    String bias = nodes.add("Reshape", name + "/bias", name + ".bias", perChannel);
    nodes.add("Add", name, nodes.add("Mul", name + "/scaled", back, weight), bias);
  }

  private void localResponseNorm(LocalResponseNorm spec, String input, Shape shape) {
    String name = spec.name();
    if (spec.across() == LocalResponseNorm.Across.CHANNELS) {
      nodes.add(
          "LRN",
          name,
          List.of(input),
          new Attributes()
              .number("alpha", spec.alpha())
              .number("beta", spec.beta())
              .number("bias", spec.k())
              .whole("size", spec.size()));
      return;
    }
    String squares = nodes.add("Mul", name + "/squares", input, input);
    Window window = Window.of(spec.size()).withPadding(spec.size() / 2);
    String mean =
        nodes.add(
            "AveragePool",
            name + "/mean",
            List.of(squares),
            window(window, shape).whole("ceil_mode", 0).whole("count_include_pad", 1));
    String alpha = nodes.number(name + "/alpha", spec.alpha());
    String k = nodes.number(name + "/k", spec.k());
    String beta = nodes.number(name + "/beta", spec.beta());
    String sum = nodes.add("Add", name + "/sum", nodes.add("Mul", name + "/part", mean, alpha), k);
    nodes.add("Div", name, input, nodes.add("Pow", name + "/scale", sum, beta));
  }

  private static String[] array(NetworkSpec.Node node) {
    return node.inputs().toArray(String[]::new);
  }

  private static Window over(Window window, Shape input) {
    return window.over(input.extents().size() - 1);
  }

  /** Kernel, strides and pads, the same at both ends. */
  static Attributes window(Window window, Shape input) {
    Window full = over(window, input);
    List<Integer> pads = new ArrayList<>(full.padding());
    pads.addAll(full.padding());
    return new Attributes()
        .integers("kernel_shape", full.kernel())
        .integers("strides", full.stride())
        .integers("pads", pads);
  }
}
