package dev.tandem.tune.sample;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Asks another sampler again for parameters that were tried as often as they may be, and then takes
 * any of those that were not; the search ends when all of the space were tried so often. Trials
 * that the machine failed have tried nothing. Spaces that are too large to be listed are left to
 * the other sampler.
 */
public final class DistinctSampler implements Sampler {

  /** Of a larger space hardly anything is tried twice by chance. */
  private static final long MOST = 100_000;

  /** How often the other sampler is asked again. */
  private static final int AGAIN = 10;

  private final Sampler sampler;
  private final int repeats;
  private final TriedPoints tried = new TriedPoints(Trial::counts);
  private Space space;
  private List<Parameters> points = List.of();

  /**
   * A sampler.
   *
   * @param repeats how often the same parameters are tried: 1, or more where the metric is noisy
   */
  public DistinctSampler(Sampler sampler, int repeats) {
    if (repeats < 1) {
      throw new UsageException("repeats is %d, expected 1 or more".formatted(repeats));
    }
    this.sampler = sampler;
    this.repeats = repeats;
  }

  @Override
  public Optional<Parameters> suggest(Space now, History history, Seed study, long trial) {
    OptionalLong count = now.count();
    if (count.isEmpty() || count.getAsLong() > MOST) {
      return sampler.suggest(now, history, study, trial);
    }
    if (!now.equals(space)) {
      space = now;
      points = SpacePoints.all(now);
    }
    tried.update(history);
    if (tried.different() >= points.size() && left().isEmpty()) {
      return Optional.empty();
    }
    for (int again = 0; again <= AGAIN; again++) {
      Seed seed = again == 0 ? study : study.derive("again").derive(again);
      Optional<Parameters> chosen = sampler.suggest(now, history, seed, trial);
      if (chosen.isEmpty() || tried.count(chosen.get()) < repeats) {
        return chosen;
      }
    }
    List<Parameters> left = left();
    int place = Sampler.random(study, trial, "left").nextInt(left.size());
    return Optional.of(left.get(place));
  }

  private List<Parameters> left() {
    return points.stream().filter(each -> tried.count(each) < repeats).toList();
  }
}
