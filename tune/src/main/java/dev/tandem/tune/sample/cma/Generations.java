package dev.tandem.tune.sample.cma;

import dev.tandem.core.Seed;
import dev.tandem.tune.space.Domain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** The state of CMA-ES after the generations of a history; it goes on where it was. */
final class Generations {

  private static final double FIRST_WIDTH = 1.0 / 6;

  private final List<Parameter> numbers;
  private final Seed study;
  private final List<Trial> used = new ArrayList<>();
  private int restarts;
  private CmaState state;

  Generations(List<Parameter> numbers, Seed study) {
    this.numbers = numbers;
    this.study = study;
    double[] middle = new double[numbers.size()];
    Arrays.fill(middle, 0.5);
    state = begin(middle);
  }

  private CmaState begin(double[] mean) {
    int size = CmaRates.usualSize(numbers.size()) << restarts;
    return new CmaState(new CmaRates(numbers.size(), size), mean, FIRST_WIDTH);
  }

  /** The trials that count, by number, up to the first one that has not ended. */
  static List<Trial> countedInOrder(History history) {
    long before = history.pending().stream().mapToLong(Trial::number).min().orElse(Long.MAX_VALUE);
    return history.ended().stream()
        .filter(each -> each.counts() && each.number() < before)
        .sorted(Comparator.comparingLong(Trial::number))
        .toList();
  }

  /** Whether the trials used so far are the first of these. */
  @SuppressWarnings("ReferenceEquality") // The same trial is meant, and found fast.
  boolean continuedBy(List<Parameter> others, Seed seed, List<Trial> inOrder) {
    if (!numbers.equals(others) || !study.equals(seed) || used.size() > inOrder.size()) {
      return false;
    }
    for (int i = 0; i < used.size(); i++) {
      if (used.get(i) != inOrder.get(i)) {
        return false;
      }
    }
    return true;
  }

  /** The state after all whole generations of these trials. */
  CmaState upTo(History history, List<Trial> inOrder) {
    while (inOrder.size() - used.size() >= state.size()) {
      List<Trial> generation =
          new ArrayList<>(inOrder.subList(used.size(), used.size() + state.size()));
      used.addAll(generation);
      generation.sort(Comparator.comparingDouble(history::loss));
      state.next(
          generation.stream().map(this::point).toArray(double[][]::new),
          history.loss(generation.getFirst()),
          history.loss(generation.getLast()));
      if (state.ended()) {
        restarts++;
        SplittableRandom random = study.derive("cma").derive(restarts).random();
        state = begin(random.doubles(numbers.size()).toArray());
      }
    }
    return state;
  }

  /** Where a trial is in the unit cube; in the middle of a range that it has no value of. */
  private double[] point(Trial trial) {
    double[] point = new double[numbers.size()];
    for (int i = 0; i < point.length; i++) {
      String name = numbers.get(i).name();
      Domain domain = numbers.get(i).domain();
      double internal =
          trial.parameters().has(name)
              ? domain.internal(trial.parameters().value(name))
              : Double.NaN;
      point[i] =
          Double.isNaN(internal) ? 0.5 : (internal - domain.low()) / (domain.high() - domain.low());
    }
    return point;
  }
}
