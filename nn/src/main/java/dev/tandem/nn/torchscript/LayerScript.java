package dev.tandem.nn.torchscript;

import dev.tandem.core.Shape;
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
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.Positions;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.nn.spec.TokenMean;
import dev.tandem.nn.spec.Tokens;
import dev.tandem.nn.spec.Window;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** One layer as an expression of TorchScript over the variables of its inputs. */
final class LayerScript {

  private LayerScript() {}

  static String expression(LayerSpec layer, List<String> inputs, List<Shape> shapes) {
    String x = inputs.getFirst();
    Shape shape = shapes.getFirst();
    int dimensions = shape.extents().size() - 1;
    return switch (layer) {
      case Activation spec -> activation(spec, x);
      case Add _ -> String.join(" + ", inputs);
      case AveragePool spec -> averagePool(x, spec.window().over(dimensions), spec.ceil());
      case BatchNorm spec ->
          call(
              "batch_norm",
              x,
              of(spec, "weight"),
              of(spec, "bias"),
              of(spec, "running_mean"),
              of(spec, "running_var"),
              "False",
              number(spec.momentum()),
              number(spec.epsilon()),
              "False");
      case Concatenation _ -> call("cat", inputs.toString(), "1");
      case Convolution spec -> {
        Window window = spec.window().over(dimensions);
        yield call(
            "conv" + dimensions + "d",
            x,
            of(spec, "weight"),
            spec.bias() ? of(spec, "bias") : "None",
            window.stride().toString(),
            window.padding().toString(),
            window.dilation().toString(),
            String.valueOf(spec.groups()));
      }
      case Dropout _ -> x;
      case Exchange exchange -> throw exchange.refused();
      case Flatten _ -> call("flatten", x, "1");
      case FullyConnected spec -> linear(x, spec.name(), spec.bias());
      case GlobalPool spec ->
          switch (spec.of()) {
            case AVERAGE -> call("mean", x, space(dimensions));
            case MAX -> call("amax", x, space(dimensions));
          };
      case GroupNorm spec ->
          call(
              "group_norm",
              x,
              String.valueOf(spec.groups()),
              of(spec, "weight"),
              of(spec, "bias"),
              number(spec.epsilon()));
      case LayerNorm spec ->
          call(
              "layer_norm",
              x,
              "[" + shape.extents().getLast() + "]",
              of(spec, "weight"),
              of(spec, "bias"),
              number(spec.epsilon()));
      case LocalResponseNorm spec -> localResponseNorm(spec, x, shape);
      case MaxPool spec -> {
        Window window = spec.window().over(dimensions);
        yield call(
            "max_pool" + dimensions + "d",
            x,
            window.kernel().toString(),
            window.stride().toString(),
            window.padding().toString(),
            window.dilation().toString(),
            flag(spec.ceil()));
      }
      case Positions spec -> x + " + " + of(spec, "weight");
      case SelfAttention spec -> attention(spec, x, shape);
      case TokenMean _ -> call("mean", x, "[1]");
      case Tokens _ -> call("transpose", call("flatten", x, "2"), "1", "2");
    };
  }

  private static String activation(Activation spec, String x) {
    return switch (spec.function()) {
      case RELU -> call("relu", x);
      case LEAKY_RELU -> call("leaky_relu", x, number(spec.slope()));
      case GELU -> call("gelu", x);
      case SIGMOID -> call("sigmoid", x);
      case TANH -> call("tanh", x);
      case SILU -> call("silu", x);
    };
  }

  private static String averagePool(String x, Window window, boolean ceil) {
    return call(
        "avg_pool" + window.kernel().size() + "d",
        x,
        window.kernel().toString(),
        window.stride().toString(),
        window.padding().toString(),
        flag(ceil),
        "True");
  }

  private static String localResponseNorm(LocalResponseNorm spec, String x, Shape shape) {
    int dimensions = shape.extents().size() - 1;
    int half = spec.size() / 2;
    String squares = call("mul", x, x);
    String mean =
        switch (spec.across()) {
          case SPACE ->
              averagePool(
                  squares, Window.of(spec.size()).withPadding(half).over(dimensions), false);
          case CHANNELS -> {
            // Padding goes from the last dimension backwards; the channels are the second.
            List<Integer> pads = new ArrayList<>(Collections.nCopies(2 * dimensions, 0));
            pads.addAll(List.of(half, half));
            String padded = call("constant_pad_nd", squares, pads.toString(), "0");
            List<String> parts = new ArrayList<>();
            for (int i = 0; i < spec.size(); i++) {
              String channels = shape.extents().getFirst().toString();
              parts.add(call("narrow", padded, "1", String.valueOf(i), channels));
            }
            // Not div: in files of TorchScriptFile's version it rounds quotients of integers.
            yield call("true_divide", String.join(" + ", parts), String.valueOf(spec.size()));
          }
        };
    String scale = "%s * %s + %s".formatted(mean, number(spec.alpha()), number(spec.k()));
    return call("mul", x, call("pow", scale, number(-spec.beta())));
  }

  /** N samples of T tokens of E features; H heads of D features, W = H D. */
  private static String attention(SelfAttention spec, String x, Shape shape) {
    long tokens = shape.extents().get(0);
    long width = spec.width(shape.extents().get(1));
    long each = width / spec.heads();
    String projected = linear(x, spec.name() + ".in_projection", true); // N T 3W
    String blocks =
        call("reshape", projected, "[-1, %d, 3, %d, %d]".formatted(tokens, spec.heads(), each));
    String heads = call("permute", blocks, "[2, 0, 3, 1, 4]"); // 3 N H T D
    String queries = call("select", heads, "0", "0");
    String keys = call("transpose", call("select", heads, "0", "1"), "2", "3");
    String values = call("select", heads, "0", "2");
    String scores =
        call("mul", call("matmul", queries, keys), number(1 / Math.sqrt((double) each)));
    String answers = call("matmul", call("softmax", scores, "3"), values); // N H T D
    String rows =
        call(
            "reshape",
            call("transpose", answers, "1", "2"),
            "[-1, %d, %d]".formatted(tokens, width));
    return linear(rows, spec.name() + ".out_projection", spec.outputBias());
  }

  private static String linear(String x, String name, boolean bias) {
    return call("linear", x, of(name + ".weight"), bias ? of(name + ".bias") : "None");
  }

  private static String call(String operation, String... arguments) {
    return "torch." + operation + "(" + String.join(", ", arguments) + ")";
  }

  private static String of(LayerSpec layer, String role) {
    return of(layer.name() + "." + role);
  }

  /** A tensor of the module by its dotted name. */
  private static String of(String tensor) {
    String place = "self";
    for (String member : tensor.split("\\.", -1)) {
      place = "getattr(%s, %s)".formatted(place, ScriptSource.quoted(member));
    }
    return place;
  }

  private static String space(int dimensions) {
    return dimensions == 2 ? "[2, 3]" : "[2, 3, 4]";
  }

  private static String number(double value) {
    return String.valueOf(value).toLowerCase(Locale.ROOT);
  }

  private static String flag(boolean value) {
    return value ? "True" : "False";
  }
}
