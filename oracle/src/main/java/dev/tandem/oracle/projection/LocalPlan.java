package dev.tandem.oracle.projection;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.KeptOutputs;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.oracle.profile.LayerSignature;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.Planner;
import dev.tandem.parallel.cost.PlanCounts;
import dev.tandem.parallel.cost.PlanTraffic;
import dev.tandem.parallel.cost.PlannedGroups;
import dev.tandem.parallel.cost.PlannedStep;
import dev.tandem.parallel.cost.SamplesByLayer;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Mode;
import dev.tandem.parallel.stage.StageCuts;
import dev.tandem.parallel.strategy.Strategy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
   * @param signature unless it is an exchange
   */
  record Work(
      LayerSpec layer,
      List<Shape> inputs,
      SampleShare samples,
      List<ParameterSpec> parameters,
      boolean learns,
      boolean returns,
      double share,
      Optional<LayerSignature> signature) {}

  /**
   * Gradients that are summed over the same ranks.
   *
   * @param inner axes over which they are summed, {@code data} left out
   * @param all the same with it
   * @param bytes by layer
   */
  @SuppressWarnings("ArrayRecordComponent") // Not compared.
  record GroupSum(Set<String> inner, Set<String> all, long[] bytes) {

    /** Of these layers. */
    long bytes(int begin, int end) {
      long sum = 0;
      for (int i = begin; i < end; i++) {
        sum += bytes[i];
      }
      return sum;
    }
  }

  private final LocalNetwork network;
  private final PlannedGroups groups;
  private final Set<String> frozen;
  private final List<Work> work = new ArrayList<>();
  private final List<GroupSum> groupSums = new ArrayList<>();
  private final long[] parameterBytes;
  private final int[] parameterTensors;
  private final PlanCounts counts;
  private volatile StageCuts cuts;

  LocalPlan(LocalNetwork network, PlannedGroups groups, Set<String> frozen) {
    this.network = network;
    this.groups = groups;
    this.frozen = frozen;
    parameterBytes = new long[network.spec().nodes().size()];
    parameterTensors = new int[network.spec().nodes().size()];
    counts = new PlanCounts(network, groups, frozen);
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
              share(node.name(), shapes, wholes),
              node.layer() instanceof Exchange
                  ? Optional.empty()
                  : Optional.of(LayerSignature.of(node.layer(), inputs.get(i)))));
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
    for (ParameterSpec parameter : parameters) {
      Set<String> axes = network.sums().getOrDefault(parameter.name(), Set.of());
      long bytes = parameter.shape().elements() * DType.FLOAT32.bytes();
      int group = 0;
      while (group < groupSums.size() && !groupSums.get(group).inner.equals(axes)) {
        group++;
      }
      if (group == groupSums.size()) {
        groupSums.add(new GroupSum(axes, withData(axes), new long[network.spec().nodes().size()]));
      }
      groupSums.get(group).bytes[layer] += bytes;
      parameterBytes[layer] += bytes;
      parameterTensors[layer]++;
    }
  }

  private static Set<String> withData(Set<String> axes) {
    Set<String> all = new HashSet<>(axes);
    all.add(Mesh.DATA);
    return Set.copyOf(all);
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

  /** By the ranks over which gradients are summed. */
  List<GroupSum> sums() {
    return groupSums;
  }

  /** Bytes of the parameters of a layer that learn. */
  long parameterBytes(int layer) {
    return parameterBytes[layer];
  }

  /** Bytes of the parameters of these layers that learn. */
  long parameterBytes(int begin, int end) {
    return Arrays.stream(parameterBytes, begin, end).sum();
  }

  /** Number of parameters of these layers that learn. */
  int parameterTensors(int begin, int end) {
    return Arrays.stream(parameterTensors, begin, end).sum();
  }

  /** Where it can be cut into stages. */
  StageCuts cuts() {
    if (cuts == null) {
      cuts = new StageCuts(network, frozen);
    }
    return cuts;
  }

  /** What it sends and holds. */
  PlanCounts counts() {
    return counts;
  }

  /** What travels along inner axes in one forward and one backward pass. */
  PlanTraffic traffic(long samples, DType activations) {
    return counts.passes(PlannedStep.of(samples).of(DType.FLOAT32, activations).freezing(frozen));
  }
}
