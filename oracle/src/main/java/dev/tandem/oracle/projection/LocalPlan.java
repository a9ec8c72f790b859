package dev.tandem.oracle.projection;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.KeptOutputs;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.Planner;
import dev.tandem.parallel.cost.PlanTraffic;
import dev.tandem.parallel.cost.PlannedGroups;
import dev.tandem.parallel.cost.PlannedStep;
import dev.tandem.parallel.cost.SamplesByLayer;
import dev.tandem.parallel.mesh.Mode;
import dev.tandem.parallel.strategy.Strategy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What one rank computes along the inner axes of a mesh, looked at once for all numbers of samples
 * and of ranks along {@code data}. Immutable.
 */
final class LocalPlan {

  /**
   * A layer of the rank's network.
   *
   * @param learns whether it has gradients
   * @param returns whether it hands a gradient on to the layers before it
   * @param share of the work of the whole layer that the rank does, for as many samples
   */
  record Work(
      LayerSpec layer,
      List<Shape> inputs,
      SampleShare samples,
      List<ParameterSpec> parameters,
      boolean learns,
      boolean returns,
      double share) {}

  /**
   * Gradients that a layer gives to a sum.
   *
   * @param axes over which it goes, {@code data} left out
   */
  record Sum(int layer, Set<String> axes, long bytes) {}

  private final LocalNetwork network;
  private final PlannedGroups groups;
  private final Set<String> frozen;
  private final List<Work> work = new ArrayList<>();
  private final List<Sum> sums = new ArrayList<>();

  LocalPlan(LocalNetwork network, PlannedGroups groups, Set<String> frozen) {
    this.network = network;
    this.groups = groups;
    this.frozen = frozen;
    KeptOutputs kept = new KeptOutputs(network.spec(), frozen);
    Map<String, SampleShare> samples = SamplesByLayer.of(network);
    Map<String, Shape> wholes = network.whole().shapes();
    Map<String, Shape> shapes = network.spec().shapes();
    List<List<Shape>> inputs = network.spec().layerInputs();
    for (int i = 0; i < inputs.size(); i++) {
      NetworkSpec.Node node = network.spec().nodes().get(i);
      SampleShare own =
          node.inputs().isEmpty()
              ? samples.get(node.name())
              : samples.get(node.inputs().getFirst());
      List<ParameterSpec> parameters = node.layer().parameters(inputs.get(i));
      work.add(
          new Work(
              node.layer(),
              inputs.get(i),
              own,
              parameters,
              kept.learns(node.name()),
              node.inputs().stream().anyMatch(kept::learns),
              share(node.name(), shapes, wholes)));
      if (!frozen.contains(node.name())) {
        sum(i, parameters);
      }
    }
  }

  /** Of a rank, without stages. */
  static LocalPlan of(
      NetworkSpec whole, Strategy strategy, PlannedGroups groups, Set<String> frozen) {
    LocalNetwork network =
        groups.mesh().inner().isEmpty()
            ? LocalNetwork.undivided(whole)
            : Planner.plan(whole, groups.mesh(), strategy, groups.rank(), groups::transfer);
    return new LocalPlan(network, groups, frozen);
  }

  private double share(String name, Map<String, Shape> shapes, Map<String, Shape> wholes) {
    Shape whole = wholes.get(name);
    if (whole == null) {
      return 1;
    }
    double share = (double) shapes.get(name).elements() / whole.elements();
    Map<String, Mode> modes = network.modes().getOrDefault(name, Map.of());
    for (Map.Entry<String, Mode> mode : modes.entrySet()) {
      if (mode.getValue() == Mode.CHANNEL) {
        share /= groups.mesh().size(mode.getKey());
      }
    }
    return share;
  }

  private void sum(int layer, List<ParameterSpec> parameters) {
    Map<Set<String>, Long> bytes = new HashMap<>();
    for (ParameterSpec parameter : parameters) {
      bytes.merge(
          network.sums().getOrDefault(parameter.name(), Set.of()),
          parameter.shape().elements() * DType.FLOAT32.bytes(),
          Long::sum);
    }
    bytes.forEach((axes, all) -> sums.add(new Sum(layer, axes, all)));
  }

  LocalNetwork network() {
    return network;
  }

  PlannedGroups groups() {
    return groups;
  }

  Set<String> frozen() {
    return frozen;
  }

  List<Work> work() {
    return work;
  }

  /** In the order of the layers. */
  List<Sum> sums() {
    return sums;
  }

  /** Bytes of all parameters. */
  long parameterBytes() {
    return sums.stream().mapToLong(Sum::bytes).sum();
  }

  /** Number of parameters that learn. */
  int parameterTensors() {
    return work.stream()
        .filter(each -> !frozen.contains(each.layer().name()))
        .mapToInt(each -> each.parameters().size())
        .sum();
  }

  /** What travels along inner axes and between stages in one forward and one backward pass. */
  PlanTraffic traffic(long samples, DType activations) {
    PlannedStep step = PlannedStep.of(samples).of(DType.FLOAT32, activations).freezing(frozen);
    return PlanTraffic.of(network, groups, step);
  }
}
