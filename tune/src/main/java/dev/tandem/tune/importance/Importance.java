package dev.tandem.tune.importance;

import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.trial.Trial;
import java.util.Comparator;
import java.util.List;

/**
 * How much one parameter matters.
 *
 * @param share of all parameters; they sum up to 1
 * @param trials complete ones that have it; fewer than all for a conditional parameter
 */
public record Importance(String parameter, double share, int trials) {

  /** As shares of their sum, the largest first; equal ones if all are zero. */
  static List<Importance> shares(List<Importance> amounts) {
    double total = amounts.stream().mapToDouble(Importance::share).sum();
    return amounts.stream()
        .map(
            each ->
                new Importance(
                    each.parameter,
                    total > 0 ? each.share / total : 1.0 / amounts.size(),
                    each.trials))
        .sorted(Comparator.comparingDouble(Importance::share).reversed())
        .toList();
  }

  /** Whether a trial has a value of a parameter, as the space is now. */
  static boolean has(Trial trial, Parameter parameter) {
    return trial.parameters().has(parameter.name())
        && parameter.domain().contains(trial.parameters().value(parameter.name()));
  }
}
