package dev.tandem.tune.sample;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Domain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.WholeDomain;
import dev.tandem.tune.trial.History;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Every combination once: the first parameter of the space changes slowest, the last fastest. A
 * range takes {@code grid} values, evenly spaced from end to end, or all of them if it is whole or
 * has steps. Parameters that are not there multiply nothing.
 */
public final class GridSampler implements Sampler {

  /** More than this is a mistake, not a plan. */
  private static final int MOST = 10_000_000;

  private final boolean shuffle;

  /** The grid of one space and seed, so that it need not be made for each trial. */
  private record Grid(Space space, Seed seed, List<Parameters> points) {}

  private Grid last;

  /**
   * A sampler of grids.
   *
   * @param shuffle whether the points come in an order that the seed chooses
   */
  public GridSampler(boolean shuffle) {
    this.shuffle = shuffle;
  }

  /** All points of a space, in order. */
  public List<Parameters> points(Space space, Seed study) {
    if (last == null || !last.space.equals(space) || !last.seed.equals(study)) {
      Map<String, List<Object>> values = new LinkedHashMap<>();
      for (Parameter parameter : space.parameters()) {
        values.put(parameter.name(), values(parameter));
      }
      List<Parameters> points = new ArrayList<>();
      add(space, values, 0, new LinkedHashMap<>(), points);
      if (shuffle) {
        Collections.shuffle(points, new Random(study.derive("grid").value()));
      }
      last = new Grid(space, study, points);
    }
    return last.points;
  }

  private static void add(
      Space space,
      Map<String, List<Object>> values,
      int depth,
      Map<String, Object> chosen,
      List<Parameters> points) {
    if (depth == space.parameters().size()) {
      if (points.size() == MOST) {
        throw new UsageException("the grid has more than %,d points".formatted(MOST));
      }
      points.add(Parameters.of(chosen));
      return;
    }
    Parameter parameter = space.parameters().get(depth);
    if (!parameter.activeIn(Parameters.of(chosen))) {
      add(space, values, depth + 1, chosen, points);
      return;
    }
    for (Object value : values.get(parameter.name())) {
      chosen.put(parameter.name(), value);
      add(space, values, depth + 1, chosen, points);
      chosen.remove(parameter.name());
    }
  }

  private static List<Object> values(Parameter parameter) {
    Domain domain = parameter.domain();
    long count =
        parameter.gridPoints().isPresent()
            ? parameter.gridPoints().getAsInt()
            : domain
                .count()
                .orElseThrow(
                    () ->
                        new UsageException(
                            "%s is a range without steps: say how many values a grid takes, such as grid: 5"
                                .formatted(parameter.name())));
    if (count > MOST) {
      throw new UsageException(
          "%s has %,d values: say how many a grid takes, such as grid: 5"
              .formatted(parameter.name(), count));
    }
    LinkedHashSet<Object> values = new LinkedHashSet<>();
    for (int i = 0; i < count; i++) {
      double place = count == 1 ? 0.5 : (double) i / (count - 1);
      values.add(
          switch (domain) {
            case ChoiceDomain choice -> choice.value(i);
            case RealDomain real -> between(real, real.least(), real.greatest(), place);
            case WholeDomain whole ->
                between(whole, (double) whole.least(), (double) whole.greatest(), place);
          });
    }
    return List.copyOf(values);
  }

  private static Object between(Domain domain, double least, double greatest, double place) {
    double from = domain.internal(domain.value(domain.internal(least)));
    double to = domain.internal(domain.value(domain.internal(greatest)));
    return domain.value(from + place * (to - from));
  }

  @Override
  public Optional<Parameters> suggest(Space space, History history, Seed study, long trial) {
    List<Parameters> points = points(space, study);
    return trial < points.size() ? Optional.of(points.get((int) trial)) : Optional.empty();
  }
}
