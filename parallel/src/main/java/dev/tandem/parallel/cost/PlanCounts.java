package dev.tandem.parallel.cost;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.KeptOutputs;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.parallel.LocalNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a plan sends and holds, for many steps: the plan is looked at once. Immutable; any thread
 * may use it.
 */
public final class PlanCounts {

  private final LocalNetwork network;
  private final PlannedGroups groups;
  private final Set<String> frozen;
  private final KeptOutputs kept;
  private final Map<String, Shape> shapes;
  private final Map<String, SampleShare> samples;
  private final List<List<ParameterSpec>> parameters = new ArrayList<>();
  private final List<List<Shape>> inputs;

  /**
   * Of a plan.
   *
   * @param network made with the transfers of {@code groups}
   * @param frozen layers that do not learn in any of the steps
   */
  public PlanCounts(LocalNetwork network, PlannedGroups groups, Set<String> frozen) {
    this.network = network;
    this.groups = groups;
    this.frozen = frozen;
    kept = new KeptOutputs(network.spec(), frozen);
    shapes = network.spec().shapes();
    samples = SamplesByLayer.of(network);
    inputs = network.spec().layerInputs();
    for (int i = 0; i < inputs.size(); i++) {
      parameters.add(network.spec().nodes().get(i).layer().parameters(inputs.get(i)));
    }
  }

  /** All that is sent in a step. */
  public PlanTraffic traffic(PlannedStep step) {
    check(step);
    return new TrafficCount(this, step).traffic(true);
  }

  /** What is sent in the passes of a step: all but gradients and parameters. */
  public PlanTraffic passes(PlannedStep step) {
    check(step);
    return new TrafficCount(this, step).traffic(false);
  }

  /**
   * The bytes that a rank needs.
   *
   * @param data ranks along {@code data}; this one is the first
   * @param stateValues numbers that the optimizer keeps for each parameter
   * @param openPasses passes whose activations are there at once: 1, or more in a pipeline
   */
  public PlanMemory memory(PlannedStep step, int data, int stateValues, int openPasses) {
    check(step);
    return PlanMemory.of(network, step, data, 0, stateValues, openPasses);
  }

  private void check(PlannedStep step) {
    if (!step.frozen().equals(frozen)) {
      throw new IllegalArgumentException("counts are for other frozen layers");
    }
  }

  LocalNetwork network() {
    return network;
  }

  PlannedGroups groups() {
    return groups;
  }

  KeptOutputs kept() {
    return kept;
  }

  Map<String, Shape> shapes() {
    return shapes;
  }

  Map<String, SampleShare> samples() {
    return samples;
  }

  /** Of each layer. */
  List<List<ParameterSpec>> parameters() {
    return parameters;
  }

  /** Shapes of the inputs of each layer. */
  List<List<Shape>> inputs() {
    return inputs;
  }
}
