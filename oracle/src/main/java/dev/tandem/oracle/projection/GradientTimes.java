package dev.tandem.oracle.projection;

import dev.tandem.core.DType;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.oracle.collective.Group;
import dev.tandem.parallel.cost.PlanTraffic.Operation;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.shard.ShardStage;
import java.util.List;
import java.util.Set;

/**
 * What ranks that have other samples, or another part of space, do with gradients and parameters of
 * some layers in a step.
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
  private final int begin;
  private final int end;
  private final double crowding;
  private final boolean alone;

  /**
   * Of a rank.
   *
   * @param pass what its layers take; null in a pipeline, where nothing is hidden
   * @param begin the first of the layers
   * @param end the layer after the last
   */
  GradientTimes(
      Candidate candidate,
      MeshGroups groups,
      Environment environment,
      Set<Term> terms,
      LocalPlan plan,
      PassTimes pass,
      int begin,
      int end,
      double crowding) {
    this.candidate = candidate;
    this.groups = groups;
    this.environment = environment;
    this.terms = terms;
    this.plan = plan;
    this.pass = pass;
    this.begin = begin;
    this.end = end;
    this.crowding = crowding;
    alone = candidate.mesh().size(Mesh.DATA) == 1;
  }

  private boolean scatters() {
    return candidate.shard().filter(stage -> stage != ShardStage.OPTIMIZER).isPresent();
  }

  /** A sum of gradients over axes of space or samples within layers, and over data. */
  private double sum(LocalPlan.GroupSum over, long bytes) {
    if (scatters()) {
      return call(Operation.ALLREDUCE, groups.along(over.inner()), bytes)
          + call(Operation.REDUCE_SCATTER, groups.along(DATA), bytes);
    }
    return call(Operation.ALLREDUCE, groups.along(over.all()), bytes);
  }

  private double call(Operation operation, Group group, long bytes) {
    return group.ranks() == 1 || bytes == 0
        ? 0
        : environment.collectives().of(operation, group, bytes, 1);
  }

  /** Seconds of all sums of a step, if each goes once over all gradients. */
  double total(int passes) {
    double seconds = 0;
    for (LocalPlan.GroupSum over : plan.sums()) {
      if (!alone || !over.inner().isEmpty()) {
        seconds += sum(over, over.bytes(begin, end));
      }
    }
    return scatters() ? seconds * passes : seconds;
  }

  /** Seconds of sums that the last backward pass does not hide. */
  double exposed(int passes) {
    double all = total(passes);
    if (!environment.asynchronous() || !terms.contains(Term.OVERLAP) || all == 0) {
      return all;
    }
    List<LocalPlan.GroupSum> sums = plan.sums();
    double clock = 0;
    double linkFree = 0;
    long[] waiting = new long[sums.size()];
    for (int layer = end - 1; layer >= begin; layer--) {
      clock += crowding * pass.backwardSum(layer, layer + 1);
      for (int i = 0; i < waiting.length; i++) {
        waiting[i] += sums.get(i).bytes()[layer];
        if (waiting[i] >= BUCKET_BYTES) {
          linkFree = Math.max(linkFree, clock) + sum(sums.get(i), waiting[i]);
          waiting[i] = 0;
        }
      }
    }
    for (int i = 0; i < waiting.length; i++) {
      linkFree = Math.max(linkFree, clock) + sum(sums.get(i), waiting[i]);
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
    double seconds = 0;
    for (int layer = begin; layer < end; layer++) {
      seconds += call(Operation.ALLGATHER, group, plan.parameterBytes(layer));
    }
    double all = times * seconds;
    if (!environment.asynchronous() || !terms.contains(Term.OVERLAP) || pass == null) {
      return all;
    }
    double computing =
        crowding * passes * (pass.forwardSum(begin, end) + pass.backwardSum(begin, end));
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
    for (LocalPlan.Work work : plan.work().subList(begin, end)) {
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
