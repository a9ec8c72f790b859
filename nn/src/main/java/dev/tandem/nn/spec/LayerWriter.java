package dev.tandem.nn.spec;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** A layer as the line of YAML that {@link LayerReader} reads; defaults are left out. */
final class LayerWriter {

  private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_./-]*");

  /** What YAML 1.1 takes for a truth value or for nothing, not for a name. */
  private static final Set<String> NOT_NAMES =
      Set.of("y", "n", "yes", "no", "on", "off", "true", "false", "null");

  private final List<String> entries = new ArrayList<>();

  private LayerWriter() {}

  /**
   * The keys and values of a node in braces.
   *
   * @param before the layer that stands before it, which need not be named as its input
   */
  static String write(NetworkSpec.Node node, String before) {
    LayerWriter writer = new LayerWriter();
    writer.entry("name", text(node.name()));
    writer.entry("type", node.layer().kind());
    writer.keys(node.layer());
    if (!node.inputs().equals(List.of(before))) {
      writer.entry("inputs", node.inputs().stream().map(LayerWriter::text).toList().toString());
    }
    return "{" + String.join(", ", writer.entries) + "}";
  }

  /** A word, in quotes where YAML would take it for something else. */
  static String text(String word) {
    if (PLAIN.matcher(word).matches() && !NOT_NAMES.contains(word.toLowerCase(Locale.ROOT))) {
      return word;
    }
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < word.length(); i++) {
      char letter = word.charAt(i);
      switch (letter) {
        case '"', '\\' -> quoted.append('\\').append(letter);
        default ->
            quoted.append(
                letter < ' ' ? "\\x%02x".formatted((int) letter) : String.valueOf(letter));
      }
    }
    return quoted.append('"').toString();
  }

  private void keys(LayerSpec layer) {
    switch (layer) {
      case Activation spec -> {
        if (spec.function() == Activation.Function.LEAKY_RELU) {
          number("slope", spec.slope(), 0.01);
        }
      }
      case AveragePool spec -> {
        window(spec.window());
        flag("ceil", spec.ceil(), false);
      }
      case BatchNorm spec -> {
        number("momentum", spec.momentum(), 0.1);
        number("epsilon", spec.epsilon(), 1e-5);
      }
      case Convolution spec -> {
        entry("filters", String.valueOf(spec.filters()));
        window(spec.window());
        number("groups", spec.groups(), 1);
        flag("bias", spec.bias(), true);
      }
      case Dropout spec -> number("probability", spec.probability(), 0.5);
      case FullyConnected spec -> {
        entry("outputs", String.valueOf(spec.outputs()));
        flag("bias", spec.bias(), true);
      }
      case GroupNorm spec -> {
        entry("groups", String.valueOf(spec.groups()));
        number("epsilon", spec.epsilon(), 1e-5);
      }
      case LayerNorm spec -> number("epsilon", spec.epsilon(), 1e-5);
      case LocalResponseNorm spec -> localResponseNorm(spec);
      case MaxPool spec -> {
        window(spec.window());
        flag("ceil", spec.ceil(), false);
      }
      case SelfAttention spec -> entry("heads", String.valueOf(spec.heads()));
      case Add _, Concatenation _, Flatten _, GlobalPool _, Positions _, TokenMean _, Tokens _ -> {}
    }
  }

  private void localResponseNorm(LocalResponseNorm spec) {
    number("size", spec.size(), 5);
    number("alpha", spec.alpha(), 1e-4);
    number("beta", spec.beta(), 0.75);
    number("k", spec.k(), 1);
    if (spec.across() != LocalResponseNorm.Across.CHANNELS) {
      entry("across", spec.across().name().toLowerCase(Locale.ROOT));
    }
  }

  private void window(Window window) {
    integers("kernel", window.kernel(), List.of());
    integers("stride", window.stride(), List.of(1));
    integers("padding", window.padding(), List.of(0));
    integers("dilation", window.dilation(), List.of(1));
  }

  private void integers(String key, List<Integer> values, List<Integer> otherwise) {
    if (!values.equals(otherwise)) {
      entry(key, values.size() == 1 ? values.getFirst().toString() : values.toString());
    }
  }

  private void number(String key, int value, int otherwise) {
    if (value != otherwise) {
      entry(key, String.valueOf(value));
    }
  }

  private void number(String key, double value, double otherwise) {
    if (value != otherwise) {
      entry(key, String.valueOf(value));
    }
  }

  private void flag(String key, boolean value, boolean otherwise) {
    if (value != otherwise) {
      entry(key, String.valueOf(value));
    }
  }

  private void entry(String key, String value) {
    entries.add(key + ": " + value);
  }
}
