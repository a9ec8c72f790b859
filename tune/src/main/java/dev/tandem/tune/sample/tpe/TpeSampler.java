package dev.tandem.tune.sample.tpe;

import dev.tandem.core.Seed;
import dev.tandem.tune.sample.RandomSampler;
import dev.tandem.tune.sample.Sampler;
import dev.tandem.tune.space.Domain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.History;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Estimates the density of the best tenth of the trials and that of the others, and takes of some
 * candidates drawn from the first the one for which their ratio is largest. The first ten trials
 * are random.
 */
public final class TpeSampler implements Sampler {

  private final TpeSettings settings;
  private final Sampler random = new RandomSampler();
  private Observations observations;

  /** A sampler of one of the settings. */
  public TpeSampler(TpeSettings settings) {
    this.settings = settings;
  }

  @Override
  public Optional<Parameters> suggest(Space space, History history, Seed study, long trial) {
    if (observations == null || !observations.continuedBy(space, history)) {
      observations = new Observations(space);
    }
    observations.update(history, settings.constantLiar());
    if (observations.ended() < TpeSettings.STARTUP) {
      return random.suggest(space, history, study, trial);
    }
    boolean[] good = observations.best(TpeSettings.good(observations.ended()));
    boolean[] other = new boolean[good.length];
    for (int row = 0; row < good.length; row++) {
      other[row] = !good[row];
    }
    boolean together = settings.alternate() && trial % 2 == 1;
    Map<String, Object> chosen = new HashMap<>();
    return Optional.of(
        space.choose(
            parameter -> {
              if (parameter.domain().single()) {
                return parameter.domain().value(parameter.domain().low());
              }
              if (!chosen.containsKey(parameter.name())) {
                List<Parameter> members = together ? group(space, parameter) : List.of(parameter);
                choose(members, good, other, together, study, trial, chosen);
              }
              return chosen.get(parameter.name());
            }));
  }

  /** The parameters that are there whenever this one is, and have something to choose. */
  private static List<Parameter> group(Space space, Parameter parameter) {
    return space.groups().stream()
        .filter(group -> group.parameters().contains(parameter))
        .findFirst()
        .orElseThrow()
        .parameters()
        .stream()
        .filter(each -> !each.domain().single())
        .toList();
  }

  private void choose(
      List<Parameter> members,
      boolean[] good,
      boolean[] other,
      boolean together,
      Seed study,
      long trial,
      Map<String, Object> chosen) {
    Parzen goodDensity = new Parzen(observations, members, good, together, settings);
    Parzen otherDensity = new Parzen(observations, members, other, together, settings);
    SplittableRandom numbers = Sampler.random(study, trial, members.getFirst().name());
    double[] point = new double[members.size()];
    double largest = Double.NEGATIVE_INFINITY;
    Set<List<Object>> scored = new HashSet<>();
    for (int candidate = 0; candidate < TpeSettings.CANDIDATES; candidate++) {
      goodDensity.draw(numbers, point);
      Object[] values = new Object[point.length];
      for (int d = 0; d < point.length; d++) {
        Domain domain = members.get(d).domain();
        values[d] = domain.value(point[d]);
        point[d] = domain.internal(values[d]);
      }
      if (!scored.add(List.of(values))) {
        continue; // The same point again, as of few whole numbers or choices, scores the same.
      }
      double score = goodDensity.logDensity(point) - otherDensity.logDensity(point);
      if (score > largest || candidate == 0) {
        largest = score;
        for (int d = 0; d < point.length; d++) {
          chosen.put(members.get(d).name(), values[d]);
        }
      }
    }
  }
}
