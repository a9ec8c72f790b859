package dev.tandem.oracle.search;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.oracle.projection.Candidate;
import dev.tandem.parallel.mesh.Mesh;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Ways in which some layers share samples along the axis that splits the others: those before a
 * place in the network, where activations are large and weights are few. Immutable.
 */
final class Mixtures {

  /** Along which layers are split. */
  static final List<String> AXES = List.of("filter", "channel", "alternate");

  private final List<String> products = new ArrayList<>();
  private final List<Integer> places;

  Mixtures(NetworkSpec network) {
    List<List<Shape>> inputs = network.layerInputs();
    List<Long> parameters = new ArrayList<>();
    int dense = 0;
    for (int i = 0; i < network.nodes().size(); i++) {
      Node node = network.nodes().get(i);
      if (node.layer() instanceof Convolution
          || node.layer() instanceof FullyConnected
          || node.layer() instanceof SelfAttention) {
        dense = node.layer() instanceof FullyConnected ? dense : products.size() + 1;
        products.add(node.name());
        parameters.add(
            node.layer().parameters(inputs.get(i)).stream()
                .mapToLong(each -> each.shape().elements())
                .sum());
      }
    }
    places = places(parameters, dense);
  }

  /**
   * Before the fully connected layers at the end, and where a tenth and half of the weights lie.
   */
  private static List<Integer> places(List<Long> parameters, int dense) {
    long all = parameters.stream().mapToLong(Long::longValue).sum();
    Set<Integer> found = new LinkedHashSet<>();
    found.add(dense);
    for (double share : new double[] {0.1, 0.5}) {
      long before = 0;
      int place = 0;
      while (place < parameters.size() && before + parameters.get(place) <= share * all) {
        before += parameters.get(place++);
      }
      found.add(place);
    }
    found.remove(0);
    found.remove(parameters.size());
    return List.copyOf(found);
  }

  /** Mixtures of a way that splits all layers alike. */
  List<Candidate> of(Candidate candidate) {
    List<Candidate> mixtures = new ArrayList<>();
    for (int place : places) {
      Map<String, String> modes = new LinkedHashMap<>();
      products.subList(0, place).forEach(layer -> modes.put(layer, Mesh.DATA));
      mixtures.add(candidate.with(candidate.strategy().withLayers(modes)));
    }
    return mixtures;
  }
}
