package dev.tandem.parallel.cost;

import dev.tandem.comm.collective.Cost;

/**
 * What one rank sends in a training step besides what {@link PlanTraffic} has: the same number of
 * bytes in every step, from the formulas of the collectives.
 *
 * @param samples handed on by the rank that reads them
 * @param loss the sum of losses and of right answers
 * @param norms sums of squares: the norm of all gradients, and those that an optimizer needs
 * @param requests whether a rank is asked to stop
 */
public record StepTraffic(Cost samples, Cost loss, Cost norms, Cost requests) {

  /** All of it. */
  public Cost total() {
    return samples.then(loss).then(norms).then(requests);
  }
}
