package dev.tandem.tune.sample.gp;

import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Domain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.WholeDomain;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** The parameters of a space as coordinates from 0 to 1; choices keep their indices. */
final class GpDimensions {

  private final List<Parameter> parameters;

  GpDimensions(Space space) {
    parameters = space.parameters().stream().filter(each -> !each.domain().single()).toList();
  }

  int size() {
    return parameters.size();
  }

  List<String> names() {
    return parameters.stream().map(Parameter::name).toList();
  }

  boolean[] choices() {
    boolean[] choices = new boolean[parameters.size()];
    for (int i = 0; i < choices.length; i++) {
      choices[i] = domain(i) instanceof ChoiceDomain;
    }
    return choices;
  }

  private Domain domain(int dimension) {
    return parameters.get(dimension).domain();
  }

  /** The dimensions that are ranges without steps. */
  int[] ranges() {
    return IntStream.range(0, parameters.size()).filter(d -> count(d) == 0).toArray();
  }

  /** How many values a dimension has; 0 for a range without steps. */
  long count(int dimension) {
    return domain(dimension).count().orElse(0);
  }

  /** The coordinate of the value with this number. */
  double place(int dimension, long step) {
    Domain domain = domain(dimension);
    if (domain instanceof ChoiceDomain) {
      return step;
    }
    if (domain instanceof WholeDomain whole) {
      return coordinate(domain, whole.internal(whole.least() + step * whole.step()));
    }
    return (step + 0.5) / count(dimension);
  }

  /** The number of the value at a coordinate. */
  long step(int dimension, double place) {
    Domain domain = domain(dimension);
    if (domain instanceof ChoiceDomain) {
      return (long) place;
    }
    double internal = domain.low() + place * (domain.high() - domain.low());
    if (domain instanceof WholeDomain whole) {
      return (whole.value(internal) - whole.least()) / whole.step();
    }
    return Math.min(count(dimension) - 1, (long) (place * count(dimension)));
  }

  private static double coordinate(Domain domain, double internal) {
    return (internal - domain.low()) / (domain.high() - domain.low());
  }

  /** The point of the space that is nearest to one in the unit cube. */
  double[] nearest(double[] cube) {
    double[] point = cube.clone();
    for (int d = 0; d < point.length; d++) {
      long count = count(d);
      if (domain(d) instanceof ChoiceDomain) {
        point[d] = Math.min(count - 1, (long) (point[d] * count));
      } else if (count > 0) {
        point[d] = place(d, step(d, point[d]));
      }
    }
    return point;
  }

  /** The coordinates of values; none if one is not of its domain any more. */
  Optional<double[]> point(Parameters values) {
    double[] point = new double[parameters.size()];
    for (int d = 0; d < point.length; d++) {
      Parameter parameter = parameters.get(d);
      Domain domain = parameter.domain();
      double internal =
          values.has(parameter.name())
              ? domain.internal(values.value(parameter.name()))
              : Double.NaN;
      if (Double.isNaN(internal)) {
        return Optional.empty();
      }
      point[d] = domain instanceof ChoiceDomain ? internal : coordinate(domain, internal);
    }
    return Optional.of(point);
  }

  /** The value of a parameter at a point. */
  Object value(Parameter parameter, double[] point) {
    Domain domain = parameter.domain();
    int d = parameters.indexOf(parameter);
    if (d < 0) {
      return domain.value(domain.low());
    }
    return domain.value(
        domain instanceof ChoiceDomain
            ? point[d]
            : domain.low() + point[d] * (domain.high() - domain.low()));
  }
}
