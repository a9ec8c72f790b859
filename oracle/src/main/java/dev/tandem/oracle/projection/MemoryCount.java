package dev.tandem.oracle.projection;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.parallel.cost.PlanMemory;
import dev.tandem.parallel.cost.PlannedStep;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The memory of a rank: as {@code parallel} counts it, or as published models do. */
final class MemoryCount {

  private MemoryCount() {}

  /** What a step of a candidate does, for ranks with some samples. */
  static PlannedStep step(Workload workload, Candidate candidate, long samples, int passes) {
    boolean repeated = candidate.stages().filter(Candidate.Stages::recompute).isPresent();
    PlannedStep step =
        PlannedStep.of(samples)
            .inPasses(passes, repeated)
            .of(DType.FLOAT32, workload.activations())
            .freezing(workload.frozen());
    step = workload.synchronised() ? step.synchronising() : step;
    return candidate.shard().map(step::sharding).orElse(step);
  }

  /**
   * The memory of the first rank along {@code data}.
   *
   * @param data ranks along it
   * @param open passes whose activations are there at once
   */
  static PlanMemory of(
      LocalPlan plan, Workload workload, PlannedStep step, int data, int open, Set<Term> terms) {
    int state = terms.contains(Term.OPTIMIZER_STATE) ? workload.stateValues() : 0;
    PlanMemory memory = plan.counts().memory(step, data, state, open);
    return terms.contains(Term.KEPT_OUTPUTS) ? memory : published(plan, memory, step);
  }

  /**
   * Inputs and outputs of all layers, and as much for their gradients; where they are computed
   * again, those of a piece, and what the stage begins with of all pieces.
   */
  private static PlanMemory published(LocalPlan plan, PlanMemory memory, PlannedStep step) {
    long all = step.passes().stream().mapToLong(PlannedStep.Pass::samples).sum();
    boolean repeated = step.passes().getFirst().repeated();
    long samples = repeated ? step.passes().getLast().samples() : all;
    Map<String, Shape> shapes = plan.network().spec().shapes();
    Map<String, Long> activations = new LinkedHashMap<>();
    long begin = 0;
    for (Node node : plan.network().spec().nodes()) {
      long elements = shapes.get(node.name()).elements();
      begin += node.inputs().isEmpty() ? elements : 0;
      for (String input : node.inputs()) {
        elements += shapes.get(input).elements();
      }
      activations.put(node.name(), elements * samples * step.activations().bytes());
    }
    long gradients = activations.values().stream().mapToLong(Long::longValue).sum();
    activations.put(NetworkSpec.INPUT, repeated ? begin * all * step.activations().bytes() : 0L);
    return new PlanMemory(
        memory.parameters(), memory.gradients(), memory.state(), activations, gradients, 0);
  }
}
