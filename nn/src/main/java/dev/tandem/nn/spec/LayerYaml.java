package dev.tandem.nn.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import dev.tandem.nn.yaml.KeyException;
import dev.tandem.nn.yaml.RecordYaml;
import dev.tandem.nn.yaml.Spelling;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;

/** A layer from and to its keys in YAML, which are the components of its record. */
final class LayerYaml {

  private static final RecordYaml YAML = new RecordYaml(Map.of());

  private static final Map<String, Kind<?>> KINDS = kinds();

  private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_./-]*");

  /** What YAML 1.1 takes for a truth value or for nothing, not for a name. */
  private static final Set<String> NOT_NAMES =
      Set.of("y", "n", "yes", "no", "on", "off", "true", "false", "null");

  /** The keys of a layer, and the layer that they make. */
  private record Kind<R extends Record>(Class<R> keys, Function<R, LayerSpec> layer) {

    LayerSpec read(ObjectNode tree, String owner) {
      try {
        return layer.apply(YAML.read(tree, keys));
      } catch (KeyException e) {
        throw e.within("", owner);
      }
    }
  }

  /** The keys of layers whose type says everything. */
  private record Named(String name) {}

  /** The keys of a leaky ReLU. */
  private record Leaky(String name, @Default("0.01") double slope) {}

  /** The keys of a batch normalisation. */
  private record Batched(
      String name, @Default("0.1") double momentum, @Default("1e-5") double epsilon) {}

  /** The keys of a group normalisation. */
  private record Grouped(String name, int groups, @Default("1e-5") double epsilon) {}

  /** The keys of a dropout. */
  private record Dropping(String name, @Default("0.5") double probability) {}

  private LayerYaml() {}

  /** A layer from its keys except {@code inputs}; failures name it. */
  static LayerSpec read(ObjectNode keys) {
    String owner = "layer " + keys.path("name").asText("without name");
    JsonNode type = keys.remove("type");
    if (type == null) {
      throw new KeyException("", owner + ": type is missing");
    }
    Kind<?> kind = KINDS.get(type.asText());
    if (kind == null) {
      throw new KeyException(
          "type",
          "%s: unknown type '%s'; known: %s%s"
              .formatted(
                  owner,
                  type.asText(),
                  String.join(", ", KINDS.keySet()),
                  Spelling.question(type.asText(), KINDS.keySet())));
    }
    return kind.read(keys, owner);
  }

  private static Map<String, Kind<?>> kinds() {
    Map<String, Kind<?>> kinds = new TreeMap<>();
    kinds.put("convolution", of(Convolution.class));
    kinds.put("max-pool", of(MaxPool.class));
    kinds.put("average-pool", of(AveragePool.class));
    kinds.put("global-average-pool", named(GlobalPool::average));
    kinds.put("global-max-pool", named(GlobalPool::max));
    kinds.put(
        "batch-norm",
        new Kind<>(
            Batched.class, keys -> new BatchNorm(keys.name(), keys.momentum(), keys.epsilon())));
    kinds.put(
        "group-norm",
        new Kind<>(
            Grouped.class, keys -> new GroupNorm(keys.name(), keys.groups(), keys.epsilon())));
    kinds.put("layer-norm", of(LayerNorm.class));
    kinds.put("relu", named(Activation::relu));
    kinds.put(
        "leaky-relu",
        new Kind<>(Leaky.class, keys -> Activation.leakyRelu(keys.name(), keys.slope())));
    kinds.put("gelu", named(Activation::gelu));
    kinds.put("sigmoid", named(Activation::sigmoid));
    kinds.put("tanh", named(Activation::tanh));
    kinds.put("silu", named(Activation::silu));
    kinds.put("local-response-norm", of(LocalResponseNorm.class));
    kinds.put(
        "dropout",
        new Kind<>(Dropping.class, keys -> new Dropout(keys.name(), keys.probability())));
    kinds.put("fully-connected", of(FullyConnected.class));
    kinds.put("add", of(Add.class));
    kinds.put("concatenation", of(Concatenation.class));
    kinds.put("flatten", of(Flatten.class));
    kinds.put("tokens", of(Tokens.class));
    kinds.put("positions", of(Positions.class));
    kinds.put("token-mean", of(TokenMean.class));
    kinds.put("self-attention", of(SelfAttention.class));
    return kinds;
  }

  private static <R extends Record & LayerSpec> Kind<R> of(Class<R> type) {
    return new Kind<>(type, layer -> layer);
  }

  private static Kind<Named> named(Function<String, LayerSpec> layer) {
    return new Kind<>(Named.class, keys -> layer.apply(keys.name()));
  }

  /**
   * The keys and values of a node in braces, without those that have their defaults.
   *
   * @param before the layer that stands before it, which need not be named as its input
   */
  static String write(NetworkSpec.Node node, String before) {
    List<String> entries = new ArrayList<>();
    entries.add("name: " + text(node.name()));
    entries.add("type: " + node.layer().kind());
    ObjectNode keys = YAML.shortest(keys(node.layer()));
    keys.remove("name");
    keys.properties().forEach(key -> entries.add(key.getKey() + ": " + value(key.getValue())));
    if (!node.inputs().equals(List.of(before))) {
      entries.add("inputs: " + node.inputs().stream().map(LayerYaml::text).toList());
    }
    return "{" + String.join(", ", entries) + "}";
  }

  private static Record keys(LayerSpec layer) {
    return switch (layer) {
      case Activation(String name, Activation.Function function, double slope) ->
          function == Activation.Function.LEAKY_RELU ? new Leaky(name, slope) : new Named(name);
      case BatchNorm norm when norm.ranks().isEmpty() ->
          new Batched(norm.name(), norm.momentum(), norm.epsilon());
      case GroupNorm norm when norm.ranks().isEmpty() ->
          new Grouped(norm.name(), norm.groups(), norm.epsilon());
      case Dropout dropout when dropout.isWhole() ->
          new Dropping(dropout.name(), dropout.probability());
      case BatchNorm _, Dropout _, GroupNorm _ ->
          throw new UsageException(
              "layer %s is a part of a split network: files have whole networks"
                  .formatted(layer.name()));
      case Exchange exchange -> throw exchange.refused();
      case GlobalPool pool -> new Named(pool.name());
      case Add _,
          AveragePool _,
          Concatenation _,
          Convolution _,
          Flatten _,
          FullyConnected _,
          LayerNorm _,
          LocalResponseNorm _,
          MaxPool _,
          Positions _,
          SelfAttention _,
          TokenMean _,
          Tokens _ ->
          (Record) layer;
    };
  }

  private static String value(JsonNode value) {
    return value.isArray()
        ? value.valueStream().map(LayerYaml::value).toList().toString()
        : value.isTextual() ? text(value.asText()) : value.asText();
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
}
