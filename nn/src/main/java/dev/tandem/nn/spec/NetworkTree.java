package dev.tandem.nn.spec;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** A network in the words of {@link NetworkYaml}, every key written out. */
final class NetworkTree {

  private NetworkTree() {}

  static ObjectNode of(NetworkSpec network) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    ArrayNode input = root.putArray("input");
    network.input().extents().forEach(input::add);
    root.put("loss", network.loss().word());
    ArrayNode layers = root.putArray("layers");
    for (NetworkSpec.Node node : network.nodes()) {
      ObjectNode layer = layers.addObject();
      layer.put("name", node.name());
      layer.put("type", node.layer().kind());
      ArrayNode inputs = layer.putArray("inputs");
      node.inputs().forEach(inputs::add);
      keys(node.layer(), layer);
    }
    ArrayNode outputs = root.putArray("outputs");
    for (NetworkSpec.Output output : network.outputs()) {
      outputs.addObject().put("layer", output.layer()).put("weight", output.weight());
    }
    return root;
  }

  private static void keys(LayerSpec layer, ObjectNode to) {
    switch (layer) {
      case Activation activation -> {
        if (activation.function() == Activation.Function.LEAKY_RELU) {
          to.put("slope", activation.slope());
        }
      }
      case AveragePool pool -> window(pool.window(), to).put("ceil", pool.ceil());
      case BatchNorm norm -> to.put("momentum", norm.momentum()).put("epsilon", norm.epsilon());
      case Convolution convolution ->
          window(convolution.window(), to)
              .put("filters", convolution.filters())
              .put("groups", convolution.groups())
              .put("bias", convolution.bias());
      case Dropout dropout -> to.put("probability", dropout.probability());
      case FullyConnected full -> to.put("outputs", full.outputs()).put("bias", full.bias());
      case GroupNorm norm -> to.put("groups", norm.groups()).put("epsilon", norm.epsilon());
      case LayerNorm norm -> to.put("epsilon", norm.epsilon());
      case LocalResponseNorm norm ->
          to.put("size", norm.size())
              .put("alpha", norm.alpha())
              .put("beta", norm.beta())
              .put("k", norm.k())
              .put("across", Fields.word(norm.across()));
      case MaxPool pool -> window(pool.window(), to).put("ceil", pool.ceil());
      case SelfAttention attention -> to.put("heads", attention.heads());
      case Add _, Concatenation _, Flatten _, GlobalPool _, Positions _, TokenMean _, Tokens _ -> {
        // Their kind says it all.
      }
    }
  }

  private static ObjectNode window(Window window, ObjectNode to) {
    numbers(to.putArray("kernel"), window.kernel());
    numbers(to.putArray("stride"), window.stride());
    numbers(to.putArray("padding"), window.padding());
    numbers(to.putArray("dilation"), window.dilation());
    return to;
  }

  private static void numbers(ArrayNode to, List<Integer> numbers) {
    numbers.forEach(to::add);
  }
}
