package dev.tandem.bench.strategies;

import dev.tandem.nn.LayerTimer;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.LayerPass;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where the time of a rank's passes goes, by layers of the whole network. What an exchange takes
 * counts for the layer that gets what it brings, or else for the one whose output it moves. One
 * thread.
 */
final class LayerClock implements LayerTimer {

  /** What a rank does meanwhile. */
  enum Activity {
    /** Layers themselves. */
    COMPUTE,
    /** Packing and unpacking of what travels. */
    COPY,
    /** Exchanges of activations and of sums of normalisations, and waiting for them. */
    EXCHANGE,
    /** Waiting for parameters and gradients that other ranks have. */
    SYNC,
    /** Waiting for other stages. */
    IDLE
  }

  private record Place(int layer, Activity computing, Activity transferring) {}

  private final Map<String, Place> places = new HashMap<>();

  /** Nanoseconds of each layer. */
  private final Map<Activity, long[]> nanos = new EnumMap<>(Activity.class);

  /**
   * All at 0.
   *
   * @param rows whether ranks keep rows of parameters, for which layers wait
   */
  LayerClock(NetworkSpec whole, NetworkSpec local, boolean rows) {
    Map<String, Integer> numbers = new HashMap<>();
    for (int i = 0; i < whole.nodes().size(); i++) {
      numbers.put(whole.nodes().get(i).name(), i);
    }
    for (Activity activity : Activity.values()) {
      nanos.put(activity, new long[whole.nodes().size()]);
    }
    for (Node node : local.nodes()) {
      int layer = numbers.get(layer(local, node).name());
      if (node.layer() instanceof Exchange exchange) {
        boolean within = exchange.role() == Exchange.Role.WITHIN;
        places.put(
            node.name(),
            new Place(layer, Activity.COPY, within ? Activity.EXCHANGE : Activity.IDLE));
      } else {
        Activity waits = rows ? Activity.SYNC : Activity.EXCHANGE;
        places.put(node.name(), new Place(layer, Activity.COMPUTE, waits));
      }
    }
  }

  private static Node layer(NetworkSpec local, Node node) {
    return node.layer() instanceof Exchange
        ? after(local, node).orElseGet(() -> before(local, node))
        : node;
  }

  private static Optional<Node> after(NetworkSpec local, Node exchange) {
    for (Node node : local.nodes()) {
      if (node.inputs().contains(exchange.name())) {
        Optional<Node> found =
            node.layer() instanceof Exchange ? after(local, node) : Optional.of(node);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private static Node before(NetworkSpec local, Node exchange) {
    Node node = exchange;
    while (node.layer() instanceof Exchange) {
      String input = node.inputs().getFirst();
      node =
          local.nodes().stream()
              .filter(each -> each.name().equals(input))
              .findFirst()
              .orElseThrow(() -> new IllegalArgumentException("the input alone is handed on"));
    }
    return node;
  }

  @Override
  public void took(String layer, LayerPass pass, long computing, long transferring) {
    Place place = places.get(layer);
    nanos.get(place.computing)[place.layer] += computing;
    nanos.get(place.transferring)[place.layer] += transferring;
  }

  /** Back to 0. */
  void reset() {
    nanos.values().forEach(layers -> Arrays.fill(layers, 0));
  }

  /** Seconds of each layer per step since the last reset. */
  List<LayerSeconds> seconds(int steps) {
    List<LayerSeconds> layers = new ArrayList<>();
    for (int i = 0; i < nanos.get(Activity.COMPUTE).length; i++) {
      layers.add(
          new LayerSeconds(
              seconds(Activity.COMPUTE, i) / steps,
              seconds(Activity.COPY, i) / steps,
              (seconds(Activity.EXCHANGE, i)
                      + seconds(Activity.SYNC, i)
                      + seconds(Activity.IDLE, i))
                  / steps));
    }
    return layers;
  }

  /** Seconds of all layers since the last reset. */
  double seconds(Activity activity) {
    return Arrays.stream(nanos.get(activity)).sum() / 1e9;
  }

  private double seconds(Activity activity, int layer) {
    return nanos.get(activity)[layer] / 1e9;
  }
}
