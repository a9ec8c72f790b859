package dev.tandem.tune.sample.cma;

import dev.tandem.core.Seed;
import dev.tandem.tune.sample.Sampler;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Domain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * CMA-ES on the numbers that are always there; choices, conditional parameters and a single number
 * are left to another sampler. A generation is the next trials by number that count; a trial is
 * drawn from the last distribution that the history allows, so workers never wait. A search that
 * has come to its end is followed by one with twice the trials in a generation.
 */
public final class CmaSampler implements Sampler {

  private final Sampler others;
  private Generations generations;

  /**
   * A sampler.
   *
   * @param others chooses what CMA-ES cannot
   */
  public CmaSampler(Sampler others) {
    this.others = others;
  }

  /** The parameters that it searches itself. */
  static List<Parameter> numbers(Space space) {
    return space.parameters().stream()
        .filter(each -> each.conditions().isEmpty())
        .filter(each -> !(each.domain() instanceof ChoiceDomain) && !each.domain().single())
        .toList();
  }

  @Override
  public Optional<Parameters> suggest(Space space, History history, Seed study, long trial) {
    List<Parameter> numbers = numbers(space);
    if (numbers.size() < 2) {
      return others.suggest(space, history, study, trial);
    }
    List<Trial> inOrder = Generations.countedInOrder(history);
    if (generations == null || !generations.continuedBy(numbers, study, inOrder)) {
      generations = new Generations(numbers, study);
    }
    CmaState state = generations.upTo(history, inOrder);
    double[] point = draw(state, numbers, study, trial);
    if (numbers.size() == space.parameters().size()) {
      return Optional.of(space.choose(each -> value(each, point[numbers.indexOf(each)])));
    }
    Parameters rest = others.suggest(space, history, study, trial).orElseThrow();
    return Optional.of(
        space.choose(
            each -> {
              int index = numbers.indexOf(each);
              if (index >= 0) {
                return value(each, point[index]);
              }
              // Another number may have made a parameter appear that the rest does not have.
              return rest.has(each.name())
                  ? rest.value(each.name())
                  : value(each, Sampler.random(study, trial, each.name()).nextDouble());
            }));
  }

  private static Object value(Parameter parameter, double place) {
    Domain domain = parameter.domain();
    return domain.value(domain.low() + place * (domain.high() - domain.low()));
  }

  /** Draws until the point is in the cube, at most ten times for each dimension. */
  private static double[] draw(CmaState state, List<Parameter> numbers, Seed study, long trial) {
    List<SplittableRandom> random =
        numbers.stream().map(each -> Sampler.random(study, trial, each.name())).toList();
    double[] point = new double[numbers.size()];
    for (int attempt = 0; attempt <= 10 * numbers.size(); attempt++) {
      point = state.point(random.stream().mapToDouble(SplittableRandom::nextGaussian).toArray());
      double[] drawn = point;
      if (IntStream.range(0, drawn.length).allMatch(i -> drawn[i] >= 0 && drawn[i] <= 1)) {
        return point;
      }
    }
    for (int i = 0; i < point.length; i++) {
      point[i] = Math.min(1, Math.max(0, point[i]));
    }
    return point;
  }
}
