package dev.tandem.oracle.projection;

import dev.tandem.nn.spec.Exchange;
import dev.tandem.oracle.collective.Group;
import dev.tandem.oracle.profile.LayerSeconds;
import dev.tandem.parallel.cost.PlanTraffic;
import dev.tandem.parallel.cost.PlanTraffic.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * What the layers of a rank take in one forward and one backward pass of some samples, in seconds,
 * by layer. Arrays are not changed after the constructor.
 */
final class PassTimes {

  final double[] forward;
  final double[] backward;
  final double[] copyForward;
  final double[] copyBackward;
  final double[] exchangeForward;
  final double[] exchangeBackward;
  final double[] statistics;

  /** Once for each pass. */
  final double perPass;

  /** Seconds of layers times their relative spread. */
  final double spread;

  /** Seconds of layers that were not measured themselves. */
  final double estimated;

  /**
   * The times of a plan.
   *
   * @param remembered what layers take
   * @param samples of the ranks that have the same samples
   * @param groups the ranks along axes of the whole mesh
   */
  PassTimes(
      LocalPlan plan,
      Workload workload,
      Environment environment,
      RememberedPasses remembered,
      Set<Term> terms,
      long samples,
      Function<Set<String>, Group> groups) {
    List<LocalPlan.Work> work = plan.work();
    int layers = work.size();
    forward = new double[layers];
    backward = new double[layers];
    copyForward = new double[layers];
    copyBackward = new double[layers];
    exchangeForward = new double[layers];
    exchangeBackward = new double[layers];
    statistics = new double[layers];
    Map<String, Integer> places = new HashMap<>();
    double spreadSum = 0;
    double estimates = 0;
    for (int i = 0; i < layers; i++) {
      LocalPlan.Work own = work.get(i);
      places.put(own.layer().name(), i);
      if (own.layer() instanceof Exchange exchange) {
        if (terms.contains(Term.COPIES)) {
          copies(i, exchange, own, workload, environment.layers(), samples);
        }
      } else {
        LayerSeconds.Passes passes =
            passes(
                own,
                remembered,
                terms,
                own.samples().count(samples),
                samples,
                plan.groups().mesh().size());
        forward[i] = passes.forward();
        if (own.learns() && !workload.inference()) {
          boolean weights =
              !own.parameters().isEmpty() && !plan.frozen().contains(own.layer().name());
          backward[i] =
              (weights || own.parameters().isEmpty() ? passes.backwardWeights() : 0)
                  + (own.returns() ? passes.backwardData() : 0);
        }
        spreadSum += (forward[i] + backward[i]) * passes.spread();
        estimates += passes.measured() ? 0 : forward[i] + backward[i];
      }
    }
    spread = spreadSum;
    estimated = estimates;
    perPass = terms.contains(Term.PASSES) ? environment.layers().perPass(layers) : 0;
    for (PlanTraffic.Item item : plan.traffic(samples, workload.activations()).items()) {
      if (workload.inference() && item.kind() != Kind.FORWARD) {
        continue;
      }
      int place = places.get(item.layer());
      double seconds =
          item.kind() == Kind.STATISTICS && !terms.contains(Term.STATISTICS)
              ? 0
              : environment
                  .collectives()
                  .of(
                      item.call().operation(),
                      groups.apply(item.along()),
                      item.call().bytes(),
                      Math.toIntExact(Math.max(1, item.cost().steps())));
      switch (item.kind()) {
        case FORWARD -> exchangeForward[place] += seconds;
        case BACKWARD -> exchangeBackward[place] += seconds;
        case STATISTICS -> statistics[place] += seconds;
        // Those of the ranks along data, too, are added for a mesh.
        default -> {}
      }
    }
  }

  private void copies(
      int place,
      Exchange exchange,
      LocalPlan.Work own,
      Workload workload,
      LayerSeconds layers,
      long samples) {
    LayerSeconds.Passes packing = layers.packing(exchange, samples, workload.activations());
    copyForward[place] = packing.forward();
    copyBackward[place] = own.learns() && !workload.inference() ? packing.backwardData() : 0;
  }

  private static LayerSeconds.Passes passes(
      LocalPlan.Work own,
      RememberedPasses remembered,
      Set<Term> terms,
      long ownSamples,
      long samples,
      int ranks) {
    if (terms.contains(Term.SPLIT_KERNELS)) {
      return remembered.of(own, ownSamples);
    }
    LayerSeconds.Passes whole = remembered.whole(own.layer().name(), samples);
    double share =
        terms.contains(Term.REPLICATED_LAYERS) ? own.share() * ownSamples / samples : 1.0 / ranks;
    return new LayerSeconds.Passes(
        whole.forward() * share,
        whole.backwardData() * share,
        whole.backwardWeights() * share,
        whole.measured(),
        whole.spread());
  }

  /** Of these layers. */
  static double sum(double[] values, int begin, int end) {
    double sum = 0;
    for (int i = begin; i < end; i++) {
      sum += values[i];
    }
    return sum;
  }

  /** Forward passes of these layers. */
  double forwardSum(int begin, int end) {
    double sum = 0;
    for (int i = begin; i < end; i++) {
      sum += forward[i] + copyForward[i] + exchangeForward[i] + statistics[i] / 2;
    }
    return sum;
  }

  /** Backward passes of these layers. */
  double backwardSum(int begin, int end) {
    double sum = 0;
    for (int i = begin; i < end; i++) {
      sum += backward[i] + copyBackward[i] + exchangeBackward[i] + statistics[i] / 2;
    }
    return sum;
  }
}
