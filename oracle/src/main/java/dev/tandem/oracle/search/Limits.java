package dev.tandem.oracle.search;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LayerCost;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.nn.spec.NetworkSpec.Output;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.oracle.projection.Workload;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.rule.Space;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How many ranks each axis of a mesh can have for a network, known before anything is planned.
 * Immutable.
 */
public final class Limits {

  /**
   * Of one axis.
   *
   * @param most ranks
   * @param reason what decides it, for people
   */
  public record Limit(long most, String reason) {

    private static final Limit NONE = new Limit(1, "no layer can be split so");

    private Limit and(Limit other) {
      return most <= other.most ? this : other;
    }
  }

  private final Map<String, Limit> limits = new HashMap<>();

  private Limits(Limits other, int batch) {
    limits.putAll(other.limits);
    limits.put(Mesh.DATA, samples(batch));
  }

  /** The same with another batch. */
  public Limits withBatch(int batch) {
    return new Limits(this, batch);
  }

  private static Limit samples(int batch) {
    return new Limit(batch, "a step has %,d sample%s".formatted(batch, batch == 1 ? "" : "s"));
  }

  /** Of a network that is trained with some batch. */
  public Limits(Workload workload) {
    NetworkSpec network = workload.network();
    List<List<Shape>> inputs = network.layerInputs();
    // An answer of few numbers may stay whole on every rank.
    Set<String> answers = network.outputs().stream().map(Output::layer).collect(Collectors.toSet());
    int learning = 0;
    boolean first = true;
    for (int i = 0; i < inputs.size(); i++) {
      Node node = network.nodes().get(i);
      LayerSpec layer = node.layer();
      learning += layer.parameters(inputs.get(i)).isEmpty() ? 0 : 1;
      Limit filters = filters(layer);
      if (filters != null && !answers.contains(node.name())) {
        add("filter", filters);
        // The first layer with weights is split by filters there, too.
        boolean heads = layer instanceof SelfAttention;
        add("channel", first || heads ? filters : channels(layer, inputs.get(i).getFirst()));
        add("alternate", filters);
        first = false;
      }
    }
    for (String axis : Space.NAMES) {
      space(axis, network, inputs, workload.frozen());
    }
    add(Mesh.PIPELINE, new Limit(learning, learning + " layers have parameters"));
    add(Mesh.DATA, samples(workload.batch()));
  }

  private void add(String axis, Limit limit) {
    limits.merge(axis, limit, Limit::and);
  }

  private static Limit filters(LayerSpec layer) {
    return switch (layer) {
      case Convolution convolution -> limit(layer, convolution.filters(), "filters");
      case FullyConnected dense -> limit(layer, dense.outputs(), "outputs");
      case SelfAttention attention -> limit(layer, attention.heads(), "heads");
      default -> null;
    };
  }

  private static Limit channels(LayerSpec layer, Shape input) {
    boolean tokens = input.extents().size() == 2;
    return limit(layer, input.extents().get(tokens ? 1 : 0), tokens ? "features" : "channels");
  }

  private static Limit limit(LayerSpec layer, long parts, String what) {
    return new Limit(parts, "layer %s has %,d %s".formatted(layer.name(), parts, what));
  }

  /**
   * Parts of space come together before the first layer that has too few rows: as many ranks as
   * there are rows until half of the work is done.
   */
  private void space(
      String axis, NetworkSpec network, List<List<Shape>> inputs, Set<String> frozen) {
    List<LayerCost> costs = LayerCost.of(network, frozen);
    double half = LayerCost.sum(costs, LayerCost::forward) / 2.0;
    double done = 0;
    for (int i = 0; i < costs.size() && done < half; i++) {
      LayerCost cost = costs.get(i);
      Shape input = inputs.get(i).getFirst();
      OptionalInt before = Space.dimension(axis, input);
      OptionalInt after = Space.dimension(axis, cost.output());
      if (before.isEmpty() || after.isEmpty()) {
        return;
      }
      long rows =
          Math.min(
              input.extents().get(before.getAsInt()),
              cost.output().extents().get(after.getAsInt()));
      add(
          axis,
          new Limit(
              rows,
              "layer %s, in the first half of the work, has %,d rows along %s"
                  .formatted(cost.name(), rows, axis)));
      done += cost.forward();
    }
  }

  /** Of an axis; one rank if the network has nothing that it could split. */
  public Limit of(String axis) {
    return limits.getOrDefault(axis, Limit.NONE);
  }
}
