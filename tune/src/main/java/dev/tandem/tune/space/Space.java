package dev.tandem.tune.space;

import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * All parameters of a study, in the order of its file. A condition names an earlier parameter, so
 * there are no cycles.
 */
public final class Space {

  /** Parameters that are there under the same conditions; conditions first of earlier groups. */
  public record Group(List<Condition> conditions, List<Parameter> parameters) {

    public Group {
      conditions = List.copyOf(conditions);
      parameters = List.copyOf(parameters);
    }
  }

  private final Map<String, Parameter> parameters = new LinkedHashMap<>();
  private final List<Group> groups = new ArrayList<>();

  /** A space of these parameters. */
  public Space(List<Parameter> list) {
    if (list.isEmpty()) {
      throw new UsageException("the space has no parameters");
    }
    for (Parameter parameter : list) {
      parameter.conditions().forEach(condition -> check(parameter, condition));
      if (parameters.put(parameter.name(), parameter) != null) {
        throw new UsageException("parameter '%s' is there twice".formatted(parameter.name()));
      }
    }
    Map<List<Condition>, List<Parameter>> alike = new LinkedHashMap<>();
    parameters
        .values()
        .forEach(
            each -> alike.computeIfAbsent(each.conditions(), key -> new ArrayList<>()).add(each));
    alike.forEach((conditions, members) -> groups.add(new Group(conditions, members)));
  }

  /** A space of these parameters. */
  public static Space of(Parameter... parameters) {
    return new Space(List.of(parameters));
  }

  private void check(Parameter parameter, Condition condition) {
    Parameter earlier = parameters.get(condition.parameter());
    if (earlier == null) {
      throw new UsageException(
          "%s.when names '%s', which is no parameter before it; those are %s"
              .formatted(parameter.name(), condition.parameter(), parameters.keySet()));
    }
    if (condition instanceof Condition.OneOf oneOf) {
      for (Object value : oneOf.values()) {
        if (!earlier.domain().contains(value)) {
          throw new UsageException(
              "%s.when.%s is %s, which %s never is"
                  .formatted(parameter.name(), earlier.name(), value, earlier.name()));
        }
      }
    } else if (earlier.domain() instanceof ChoiceDomain choice
        && choice.values().stream().noneMatch(condition::holds)) {
      throw new UsageException(
          "%s.when.%s is a range that no value of %s is in"
              .formatted(parameter.name(), earlier.name(), earlier.name()));
    }
  }

  /** All parameters in order. */
  public List<Parameter> parameters() {
    return List.copyOf(parameters.values());
  }

  /** A parameter by name. */
  public Parameter parameter(String name) {
    return parameters.get(name);
  }

  /** Whether there is a parameter of this name. */
  public boolean has(String name) {
    return parameters.containsKey(name);
  }

  /** Parameters with the same conditions, in the order of their first. */
  public List<Group> groups() {
    return List.copyOf(groups);
  }

  /** Whether some parameters are not always there. */
  public boolean conditional() {
    return parameters.values().stream().anyMatch(each -> !each.conditions().isEmpty());
  }

  /** Chooses values one after the other, of the parameters that are there. */
  public Parameters choose(Function<Parameter, Object> value) {
    Map<String, Object> values = new LinkedHashMap<>();
    Parameters chosen = Parameters.viewOf(values);
    for (Parameter parameter : parameters.values()) {
      if (parameter.activeIn(chosen)) {
        values.put(parameter.name(), value.apply(parameter));
      }
    }
    return chosen;
  }

  /** Whether exactly the parameters that are there have values, and those of their domains. */
  public boolean contains(Parameters values) {
    int active = 0;
    for (Parameter parameter : parameters.values()) {
      if (parameter.activeIn(values)) {
        active++;
        if (!values.has(parameter.name())
            || !parameter.domain().contains(values.value(parameter.name()))) {
          return false;
        }
      }
    }
    return active == values.values().size();
  }

  /** How many different parameters there are, at most; none if a range cannot be counted. */
  public OptionalLong count() {
    long product = 1;
    for (Parameter parameter : parameters.values()) {
      OptionalLong count = parameter.domain().count();
      if (count.isEmpty() || count.getAsLong() > Long.MAX_VALUE / product) {
        return OptionalLong.empty();
      }
      product *= count.getAsLong();
    }
    return OptionalLong.of(product);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Space same
        && List.copyOf(parameters.values()).equals(List.copyOf(same.parameters.values()));
  }

  @Override
  public int hashCode() {
    return parameters.hashCode();
  }

  @Override
  public String toString() {
    return parameters.values().toString();
  }
}
