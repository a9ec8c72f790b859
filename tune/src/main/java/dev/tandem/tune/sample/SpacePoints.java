package dev.tandem.tune.sample;

import dev.tandem.core.UsageException;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Domain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.WholeDomain;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Points of a space in order: the first parameter changes slowest, the last fastest. Parameters
 * that are not there multiply nothing.
 */
final class SpacePoints {

  /** More than this is a mistake, not a plan. */
  private static final int MOST = 10_000_000;

  private SpacePoints() {}

  /** All points of a space that can be counted. */
  static List<Parameters> all(Space space) {
    return points(space, false);
  }

  /**
   * Those of a grid: of a range as many values as its {@code grid} says, evenly spaced from end to
   * end, or all of them.
   */
  static List<Parameters> grid(Space space) {
    return points(space, true);
  }

  private static List<Parameters> points(Space space, boolean grid) {
    Map<String, List<Object>> values = new LinkedHashMap<>();
    for (Parameter parameter : space.parameters()) {
      OptionalInt some = grid ? parameter.gridPoints() : OptionalInt.empty();
      values.put(parameter.name(), values(parameter, some));
    }
    List<Parameters> points = new ArrayList<>();
    add(space, values, 0, new LinkedHashMap<>(), points);
    return points;
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

  private static List<Object> values(Parameter parameter, OptionalInt some) {
    Domain domain = parameter.domain();
    long count =
        some.isPresent()
            ? some.getAsInt()
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
}
