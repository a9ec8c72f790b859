package dev.tandem.tune.importance;

import dev.tandem.core.Seed;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Domain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Functional ANOVA (Hutter, Hoos and Leyton-Brown 2014): the share of the variance of the metric
 * over the whole space that one parameter explains by itself, in the mean of a forest of regression
 * trees. Unlike {@link PedAnova} it asks what matters anywhere, not among the best.
 */
public final class Fanova {

  private static final int TREES = 64;

  private Fanova() {}

  /** The importance of all parameters that have something to choose, the largest first. */
  public static List<Importance> of(Space space, List<Trial> trials, Seed study) {
    List<Trial> complete =
        trials.stream().filter(each -> each.state() == TrialState.COMPLETE).toList();
    List<Parameter> parameters =
        space.parameters().stream().filter(each -> !each.domain().single()).toList();
    List<Importance> found = new ArrayList<>();
    for (Parameter parameter : parameters) {
      List<Trial> having =
          complete.stream().filter(each -> Importance.has(each, parameter)).toList();
      // Conditions make some parameters appear with others: those that all these trials have.
      List<Parameter> together =
          parameters.stream()
              .filter(each -> having.stream().allMatch(trial -> Importance.has(trial, each)))
              .toList();
      // What the others explain is in the values, but not in a tree that does not know them.
      boolean whole = together.size() == parameters.size();
      double least = whole ? 0 : variance(having);
      double share =
          having.size() <= 2
              ? 0
              : share(together, together.indexOf(parameter), having, least, study);
      found.add(new Importance(parameter.name(), share, having.size()));
    }
    return Importance.shares(found);
  }

  private static double variance(List<Trial> trials) {
    double mean = trials.stream().mapToDouble(Trial::value).average().orElse(0);
    return trials.stream()
        .mapToDouble(each -> (each.value() - mean) * (each.value() - mean))
        .average()
        .orElse(0);
  }

  private static double share(
      List<Parameter> parameters, int dimension, List<Trial> trials, double least, Seed study) {
    int[] counts = new int[parameters.size()];
    for (int d = 0; d < counts.length; d++) {
      counts[d] =
          parameters.get(d).domain() instanceof ChoiceDomain choice ? choice.values().size() : 0;
    }
    double[][] points = new double[trials.size()][counts.length];
    double[] values = new double[trials.size()];
    for (int i = 0; i < points.length; i++) {
      values[i] = trials.get(i).value();
      for (int d = 0; d < counts.length; d++) {
        points[i][d] = place(parameters.get(d), trials.get(i));
      }
    }
    double sum = 0;
    for (int tree = 0; tree < TREES; tree++) {
      SplittableRandom random = study.derive("fanova").derive(tree).random();
      int[] sample = random.ints(points.length, 0, points.length).toArray();
      List<RegressionTree.Leaf> leaves =
          new RegressionTree(points, values, counts, sample).leaves();
      sum += share(leaves, dimension, counts, least);
    }
    return sum / TREES;
  }

  private static double place(Parameter parameter, Trial trial) {
    Domain domain = parameter.domain();
    double internal = domain.internal(trial.parameters().value(parameter.name()));
    return domain instanceof ChoiceDomain
        ? internal
        : (internal - domain.low()) / (domain.high() - domain.low());
  }

  /**
   * The share of a tree's variance that one dimension explains; 0 if the tree has none.
   *
   * @param least the variance that it is a share of at least
   */
  static double share(List<RegressionTree.Leaf> leaves, int dimension, int[] counts, double least) {
    double mean = 0;
    double square = 0;
    // By where it begins, how much the mean over all other dimensions changes there.
    Map<Double, Double> changes = new TreeMap<>();
    double[] means = new double[counts[dimension]];
    for (RegressionTree.Leaf leaf : leaves) {
      double others = 1;
      for (int d = 0; d < counts.length; d++) {
        others *= d == dimension ? 1 : leaf.share(d, counts);
      }
      double all = others * leaf.share(dimension, counts);
      mean += all * leaf.value();
      square += all * leaf.value() * leaf.value();
      double part = others * leaf.value();
      if (counts[dimension] == 0) {
        changes.merge(leaf.low()[dimension], part, Double::sum);
        changes.merge(leaf.high()[dimension], -part, Double::sum);
      } else {
        leaf.choices()[dimension].stream().forEach(choice -> means[choice] += part);
      }
    }
    double variance = Math.max(least, square - mean * mean);
    if (!(variance > 0)) {
      return 0;
    }
    double own = 0;
    for (double each : means) {
      own += (each - mean) * (each - mean) / means.length;
    }
    double before = 0;
    double now = 0;
    for (Map.Entry<Double, Double> change : changes.entrySet()) {
      own += (change.getKey() - before) * (now - mean) * (now - mean);
      before = change.getKey();
      now += change.getValue();
    }
    return own / variance;
  }
}
