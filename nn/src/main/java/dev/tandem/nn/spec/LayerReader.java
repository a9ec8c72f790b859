package dev.tandem.nn.spec;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;

/** A layer from its keys in YAML; keys that are left out have the defaults of the constructors. */
final class LayerReader {

  private static final Map<String, BiFunction<String, Fields, LayerSpec>> KINDS = kinds();

  private LayerReader() {}

  static LayerSpec read(Fields fields) {
    String name = fields.text("name");
    String type = fields.text("type");
    BiFunction<String, Fields, LayerSpec> kind = KINDS.get(type);
    if (kind == null) {
      throw fields.unknownType(type, List.copyOf(KINDS.keySet()));
    }
    return kind.apply(name, fields);
  }

  private static Map<String, BiFunction<String, Fields, LayerSpec>> kinds() {
    Map<String, BiFunction<String, Fields, LayerSpec>> kinds = new TreeMap<>();
    kinds.put("convolution", LayerReader::convolution);
    kinds.put(
        "max-pool", (name, keys) -> new MaxPool(name, window(keys), keys.flag("ceil", false)));
    kinds.put(
        "average-pool",
        (name, keys) -> new AveragePool(name, window(keys), keys.flag("ceil", false)));
    kinds.put("global-average-pool", (name, keys) -> GlobalPool.average(name));
    kinds.put("global-max-pool", (name, keys) -> GlobalPool.max(name));
    kinds.put(
        "batch-norm",
        (name, keys) ->
            new BatchNorm(name, keys.number("momentum", 0.1), keys.number("epsilon", 1e-5)));
    kinds.put(
        "group-norm",
        (name, keys) -> new GroupNorm(name, keys.integer("groups"), keys.number("epsilon", 1e-5)));
    kinds.put("layer-norm", (name, keys) -> new LayerNorm(name, keys.number("epsilon", 1e-5)));
    kinds.put("relu", (name, keys) -> Activation.relu(name));
    kinds.put("leaky-relu", (name, keys) -> Activation.leakyRelu(name, keys.number("slope", 0.01)));
    kinds.put("gelu", (name, keys) -> Activation.gelu(name));
    kinds.put("sigmoid", (name, keys) -> Activation.sigmoid(name));
    kinds.put("tanh", (name, keys) -> Activation.tanh(name));
    kinds.put("silu", (name, keys) -> Activation.silu(name));
    kinds.put("local-response-norm", LayerReader::localResponseNorm);
    kinds.put("dropout", (name, keys) -> new Dropout(name, keys.number("probability", 0.5)));
    kinds.put(
        "fully-connected",
        (name, keys) -> new FullyConnected(name, keys.integer("outputs"), keys.flag("bias", true)));
    kinds.put("add", (name, keys) -> new Add(name));
    kinds.put("concatenation", (name, keys) -> new Concatenation(name));
    kinds.put("flatten", (name, keys) -> new Flatten(name));
    kinds.put("tokens", (name, keys) -> new Tokens(name));
    kinds.put("positions", (name, keys) -> new Positions(name));
    kinds.put("token-mean", (name, keys) -> new TokenMean(name));
    kinds.put("self-attention", (name, keys) -> new SelfAttention(name, keys.integer("heads")));
    return kinds;
  }

  private static LayerSpec convolution(String name, Fields keys) {
    return new Convolution(
        name,
        keys.integer("filters"),
        window(keys),
        keys.integer("groups", 1),
        keys.flag("bias", true));
  }

  private static LayerSpec localResponseNorm(String name, Fields keys) {
    return new LocalResponseNorm(
        name,
        keys.integer("size", 5),
        keys.number("alpha", 1e-4),
        keys.number("beta", 0.75),
        keys.number("k", 1),
        keys.choice("across", LocalResponseNorm.Across.CHANNELS));
  }

  private static Window window(Fields keys) {
    return Window.of(keys.integers("kernel"))
        .withStride(keys.integers("stride", 1))
        .withPadding(keys.integers("padding", 0))
        .withDilation(keys.integers("dilation", 1));
  }
}
