package dev.tandem.tune.sample;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.History;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Every combination, once or as often as was said: the first parameter of the space changes
 * slowest, the last fastest. A range takes {@code grid} values, evenly spaced from end to end, or
 * all of them if it is whole or has steps. What was tried before, such as by a list of first
 * trials, is left out.
 */
public final class GridSampler implements Sampler {

  private final boolean shuffle;
  private final int repeats;
  private final TriedPoints tried = new TriedPoints(trial -> true);

  /** The grid of one space and seed, so that it need not be made for each trial. */
  private record Grid(Space space, Seed seed, List<Parameters> points) {}

  private Grid last;

  /**
   * A sampler of grids.
   *
   * @param shuffle whether the points come in an order that the seed chooses
   * @param repeats how often each comes; all of them once before any of them again
   */
  public GridSampler(boolean shuffle, int repeats) {
    if (repeats < 1) {
      throw new UsageException("repeats is %d, expected 1 or more".formatted(repeats));
    }
    this.shuffle = shuffle;
    this.repeats = repeats;
  }

  /** How many trials a space takes. */
  public long trials(Space space, Seed study) {
    return (long) repeats * points(space, study).size();
  }

  /** All points of a space, in order. */
  List<Parameters> points(Space space, Seed study) {
    if (last == null || !last.space.equals(space) || !last.seed.equals(study)) {
      List<Parameters> points = new ArrayList<>(SpacePoints.grid(space));
      if (shuffle) {
        Collections.shuffle(points, new Random(study.derive("grid").value()));
      }
      last = new Grid(space, study, points);
    }
    return last.points;
  }

  @Override
  public Optional<Parameters> suggest(Space space, History history, Seed study, long trial) {
    List<Parameters> points = points(space, study);
    tried.update(history);
    for (int time = 1; time <= repeats; time++) {
      for (Parameters point : points) {
        if (tried.count(point) < time) {
          return Optional.of(point);
        }
      }
    }
    return Optional.empty();
  }
}
