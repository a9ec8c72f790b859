package dev.tandem.oracle.projection;

import dev.tandem.core.DType;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.oracle.collective.Group;
import dev.tandem.parallel.cost.PlanTraffic.Operation;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.shard.ShardStage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What ranks that have other samples, or another part of space, do with gradients and parameters in
 * a step.
 */
final class GradientTimes {

  private static final Set<String> DATA = Set.of(Mesh.DATA);

  /** Gradients that come together before they travel, where they do so during a pass. */
  private static final long BUCKET_BYTES = 16 << 20;

  private final Candidate candidate;
  private final MeshGroups groups;
  private final Environment environment;
  private final Set<Term> terms;
  private final LocalPlan plan;
  private final PassTimes pass;
  private final double crowding;

  /**
   * Of a rank.
   *
   * @param pass what its layers take; null in a pipeline, where nothing is hidden
   */
  GradientTimes(
      Candidate candidate,
      MeshGroups groups,
      Environment environment,
      Set<Term> terms,
      LocalPlan plan,
      PassTimes pass,
      double crowding) {
    this.candidate = candidate;
    this.groups = groups;
    this.environment = environment;
    this.terms = terms;
    this.plan = plan;
    this.pass = pass;
    this.crowding = crowding;
  }

  private boolean scatters() {
    return candidate.shard().filter(stage -> stage != ShardStage.OPTIMIZER).isPresent();
  }

  private Set<String> withData(Set<String> axes) {
    Set<String> all = new HashSet<>(axes);
    all.add(Mesh.DATA);
    return all;
  }

  /** A sum of gradients over axes of space or samples within layers, and over data. */
  private double sum(Set<String> axes, long bytes) {
    if (scatters()) {
      return call(Operation.ALLREDUCE, groups.along(axes), bytes)
          + call(Operation.REDUCE_SCATTER, groups.along(DATA), bytes);
    }
    return call(Operation.ALLREDUCE, groups.along(withData(axes)), bytes);
  }

  private double call(Operation operation, Group group, long bytes) {
    return group.ranks() == 1 || bytes == 0
        ? 0
        : environment.collectives().of(operation, group, bytes, 1);
  }

  /** Seconds of all sums of a step, if each goes once over all gradients. */
  double total(int passes) {
    Map<Set<String>, Long> bytes = new HashMap<>();
    plan.sums().forEach(sum -> bytes.merge(sum.axes(), sum.bytes(), Long::sum));
    double seconds = 0;
    for (Map.Entry<Set<String>, Long> entry : bytes.entrySet()) {
      seconds += sum(entry.getKey(), entry.getValue());
    }
    return scatters() ? seconds * passes : seconds;
  }

  /** Seconds of sums that the last backward pass of layers does not hide. */
  double exposed(int passes, int begin, int end) {
    double all = total(passes);
    if (!environment.asynchronous() || !terms.contains(Term.OVERLAP) || all == 0) {
      return all;
    }
    List<LocalPlan.Sum> sums = plan.sums();
    double clock = 0;
    double linkFree = 0;
    Map<Set<String>, Long> waiting = new HashMap<>();
    int next = sums.size() - 1;
    for (int layer = end - 1; layer >= begin; layer--) {
      clock += crowding * pass.backwardSum(layer, layer + 1);
      for (; next >= 0 && sums.get(next).layer() == layer; next--) {
        waiting.merge(sums.get(next).axes(), sums.get(next).bytes(), Long::sum);
      }
      for (Map.Entry<Set<String>, Long> entry : waiting.entrySet()) {
        if (entry.getValue() >= BUCKET_BYTES) {
          linkFree = Math.max(linkFree, clock) + sum(entry.getKey(), entry.getValue());
          entry.setValue(0L);
        }
      }
    }
    for (Map.Entry<Set<String>, Long> entry : waiting.entrySet()) {
      linkFree = Math.max(linkFree, clock) + sum(entry.getKey(), entry.getValue());
    }
    double last = Math.max(0, linkFree - clock);
    // With rows of gradients every pass has its sums.
    return scatters() ? last * passes : last;
  }

  /** Seconds in which parameters of which ranks keep rows come together. */
  double fetches(int passes, boolean repeated) {
    int times = times(passes, repeated);
    Group group = groups.along(DATA);
    if (times == 0 || group.ranks() == 1) {
      return 0;
    }
    Map<Integer, Long> layers = new HashMap<>();
    plan.sums().forEach(sum -> layers.merge(sum.layer(), sum.bytes(), Long::sum));
    double seconds = 0;
    for (long bytes : layers.values()) {
      seconds += call(Operation.ALLGATHER, group, bytes);
    }
    double all = times * seconds;
    if (!environment.asynchronous() || !terms.contains(Term.OVERLAP) || pass == null) {
      return all;
    }
    int layerCount = plan.work().size();
    double computing =
        crowding * passes * (pass.forwardSum(0, layerCount) + pass.backwardSum(0, layerCount));
    return Math.max(0, all - computing);
  }

  private int times(int passes, boolean repeated) {
    return candidate
        .shard()
        .map(
            stage ->
                switch (stage) {
                  case OPTIMIZER, GRADIENTS -> 1;
                  case PARAMETERS -> passes * (repeated ? 3 : 2);
                })
        .orElse(0);
  }

  /** Seconds in which batch normalisations meet over ranks with other samples. */
  double statistics(int passes) {
    if (!terms.contains(Term.STATISTICS)) {
      return 0;
    }
    double seconds = 0;
    for (LocalPlan.Work work : plan.work()) {
      if (work.layer() instanceof BatchNorm) {
        long channels = work.inputs().getFirst().extents().getFirst();
        long doubles = DType.FLOAT64.bytes();
        seconds += call(Operation.ALLREDUCE, groups.along(DATA), (1 + 2 * channels) * doubles);
        seconds += call(Operation.ALLREDUCE, groups.along(DATA), 2 * channels * doubles);
      }
    }
    return seconds * passes;
  }
}
