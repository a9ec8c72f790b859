package dev.tandem.tune.space;

import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * One dimension of a space.
 *
 * @param conditions all must hold for the parameter to be there
 * @param gridPoints how many values of a range a grid takes, if that was said
 */
public record Parameter(
    String name, Domain domain, List<Condition> conditions, OptionalInt gridPoints) {

  public Parameter {
    if (!name.matches("[A-Za-z_][A-Za-z0-9_.\\-]*")) {
      throw new UsageException(
          "'%s' is no name of a parameter: expected letters, digits, '_', '-' and '.', a letter first"
              .formatted(name));
    }
    if (gridPoints.isPresent() && gridPoints.getAsInt() < 1) {
      throw new UsageException("grid is %d, expected 1 or more".formatted(gridPoints.getAsInt()));
    }
    conditions = List.copyOf(conditions);
  }

  /** A parameter that is always there. */
  public Parameter(String name, Domain domain) {
    this(name, domain, List.of(), OptionalInt.empty());
  }

  /** The same, there only if an earlier parameter has one of these values. */
  public Parameter when(String earlier, Object... values) {
    List<Condition> more = new ArrayList<>(conditions);
    more.add(new Condition.OneOf(earlier, List.of(values)));
    return new Parameter(name, domain, more, gridPoints);
  }

  /** Whether it is there, given the values of those before it. */
  public boolean activeIn(Parameters earlier) {
    for (Condition condition : conditions) {
      if (!earlier.has(condition.parameter())
          || !condition.holds(earlier.value(condition.parameter()))) {
        return false;
      }
    }
    return true;
  }
}
