package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What stays in memory between the passes of a network: which layers have gradients, whose outputs
 * are needed after the forward pass, and which take the place of their inputs. Layers go by their
 * names.
 */
public final class KeptOutputs {

  private final Set<String> learning = new HashSet<>();
  private final Set<String> kept = new HashSet<>();
  private final Set<String> overwriting = new HashSet<>();

  /**
   * Of a network.
   *
   * @param frozen layers that do not learn
   */
  public KeptOutputs(NetworkSpec network, Set<String> frozen) {
    List<String> outputs = network.outputs().stream().map(NetworkSpec.Output::layer).toList();
    kept.addAll(outputs);
    Map<String, Integer> uses = new HashMap<>();
    Map<String, LayerSpec> layers = new HashMap<>();
    List<List<Shape>> inputs = network.layerInputs();
    for (int i = 0; i < network.nodes().size(); i++) {
      NetworkSpec.Node node = network.nodes().get(i);
      layers.put(node.name(), node.layer());
      node.inputs().forEach(input -> uses.merge(input, 1, Integer::sum));
      boolean own =
          !node.layer().parameters(inputs.get(i)).isEmpty() && !frozen.contains(node.name());
      if (own
          || returnsGradient(node.layer())
          || node.inputs().stream().anyMatch(learning::contains)) {
        learning.add(node.name());
        keep(node);
      }
    }
    for (NetworkSpec.Node node : network.nodes()) {
      if (canOverwrite(node.layer())) {
        String input = node.inputs().getFirst();
        boolean free =
            layers.containsKey(input)
                && uses.get(input) == 1
                && !outputs.contains(input)
                && !needsItsOutput(layers.get(input));
        if (free) {
          overwriting.add(node.name());
        }
      }
    }
  }

  private void keep(NetworkSpec.Node node) {
    if (needsItsOutput(node.layer())) {
      kept.add(node.name());
    }
    if (needsItsInputs(node.layer())) {
      kept.addAll(node.inputs());
    }
  }

  /** Whether this has no input but sends the gradient of its output to another rank. */
  public static boolean returnsGradient(LayerSpec layer) {
    return layer instanceof Exchange exchange
        && exchange.role() == Exchange.Role.RECEIVE
        && exchange.learns();
  }

  private static boolean canOverwrite(LayerSpec layer) {
    return layer instanceof Activation
        || (layer instanceof Exchange exchange
            && exchange.role() != Exchange.Role.RECEIVE
            && exchange.forward().collective() == Movement.Collective.ALLREDUCE);
  }

  /** Whether the backward passes of a layer may look at its output, or that is not its own. */
  private static boolean needsItsOutput(LayerSpec layer) {
    return switch (layer) {
      case Add _, BatchNorm _, Convolution _, FullyConnected _ -> false;
      // A pass that is repeated begins with what was received.
      case Exchange exchange ->
          exchange.forward().isIdentity() || exchange.role() == Exchange.Role.RECEIVE;
      case Activation _,
          AveragePool _,
          Concatenation _,
          Dropout _,
          Flatten _,
          GlobalPool _,
          GroupNorm _,
          LayerNorm _,
          LocalResponseNorm _,
          MaxPool _,
          Positions _,
          SelfAttention _,
          TokenMean _,
          Tokens _ ->
          true;
    };
  }

  /** Whether the backward passes of a layer may look at its inputs. */
  private static boolean needsItsInputs(LayerSpec layer) {
    return !(layer instanceof Add || layer instanceof Exchange);
  }

  /** Whether gradients are needed at this layer: it learns, or one before it does. */
  public boolean learns(String layer) {
    return learning.contains(layer);
  }

  /**
   * Whether the output of this layer is needed after the forward pass: by the loss, or by a
   * backward pass of its own or of a layer after it.
   */
  public boolean keeps(String layer) {
    return kept.contains(layer);
  }

  /** Whether an activation or a sum over ranks takes the place of its input. */
  public boolean overwrites(String layer) {
    return overwriting.contains(layer);
  }
}
