package dev.tandem.tune.space;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.UsageException;
import java.util.List;

/**
 * What may become of the space of a study that goes on: ranges may grow and choices be added, so
 * that all that was tried is still in it.
 */
public final class SpaceChange {

  private SpaceChange() {}

  /**
   * Refuses a space that does not hold another.
   *
   * @param begun the space until now
   */
  public static void require(Space begun, Space wanted) {
    List<String> before = begun.parameters().stream().map(Parameter::name).toList();
    List<String> now = wanted.parameters().stream().map(Parameter::name).toList();
    if (!before.equals(now)) {
      throw new UsageException(
          "the space has the parameters %s, expected %s: a study that goes on keeps its parameters; begin another by --name"
              .formatted(now, before));
    }
    for (Parameter parameter : begun.parameters()) {
      Parameter other = wanted.parameter(parameter.name());
      if (!parameter.conditions().equals(other.conditions())
          || !holds(other.domain(), parameter.domain())) {
        JsonNode was = SpaceYaml.write(begun).get(parameter.name());
        JsonNode is = SpaceYaml.write(wanted).get(parameter.name());
        throw new UsageException(
            "space.%s is %s, expected all values of %s: in a study that goes on, ranges may grow and choices be added, no more; begin another by --name"
                .formatted(parameter.name(), is, was));
      }
    }
  }

  /** Whether one of the same kind has all the values of another. */
  private static boolean holds(Domain larger, Domain smaller) {
    return switch (smaller) {
      case RealDomain from ->
          larger instanceof RealDomain to
              && to.log() == from.log()
              && to.contains(from.least())
              && to.contains(from.greatest())
              && (to.step() == 0
                  || from.single()
                  || (from.step() > 0 && to.contains(from.least() + from.step())));
      case WholeDomain from ->
          larger instanceof WholeDomain to
              && to.log() == from.log()
              && to.contains(from.least())
              && to.contains(from.greatest())
              && (from.single() || to.contains(from.least() + from.step()));
      case ChoiceDomain from ->
          larger instanceof ChoiceDomain to && to.values().containsAll(from.values());
    };
  }
}
