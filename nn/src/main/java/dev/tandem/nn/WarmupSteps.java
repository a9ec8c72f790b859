package dev.tandem.nn;

import dev.tandem.core.UsageException;
import java.util.List;

/**
 * A learning rate that climbs in a straight line to its peak and then falls by a factor at certain
 * steps.
 *
 * @param start the rate of the first step of the warm-up: after Goyal et al. that of the small
 *     batch
 * @param falls the steps that are the first with a lower rate, in order
 * @param factor by which the rate is multiplied there
 */
public record WarmupSteps(
    double start, double peak, long warmupSteps, List<Long> falls, double factor)
    implements Schedule {

  public WarmupSteps {
    falls = List.copyOf(falls);
    Numbers.notNegative("the first learning rate", start);
    Numbers.positive("the learning rate", peak);
    Numbers.notNegative("the number of warm-up steps", (double) warmupSteps);
    Numbers.positive("the factor by which the rate falls", factor);
    for (int i = 0; i < falls.size(); i++) {
      long earliest = i == 0 ? warmupSteps : falls.get(i - 1) + 1;
      if (falls.get(i) < earliest) {
        throw new UsageException("falls must be ascending and after the warm-up, not " + falls);
      }
    }
  }

  @Override
  public double rate(long step) {
    if (step < warmupSteps) {
      return start + (peak - start) * step / warmupSteps;
    }
    double rate = peak;
    for (long fall : falls) {
      rate *= step >= fall ? factor : 1;
    }
    return rate;
  }
}
