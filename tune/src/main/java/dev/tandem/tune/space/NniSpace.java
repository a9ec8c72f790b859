package dev.tandem.tune.space;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Search spaces of NNI: {@code {"lr": {"_type": "loguniform", "_value": [1e-4, 0.1]}}}. A choice
 * among nested spaces becomes a choice among their {@code _name}s and parameters {@code
 * OUTER.INNER} that are there when it is chosen.
 */
final class NniSpace {

  private static final String TYPE = "_type";
  private static final String VALUE = "_value";
  private static final String NAME = "_name";

  private NniSpace() {}

  static boolean is(ObjectNode tree) {
    return tree.properties().stream().anyMatch(entry -> entry.getValue().has(TYPE));
  }

  static Space read(ObjectNode tree, SpaceYaml.Places places) {
    List<Parameter> parameters = new ArrayList<>();
    for (Map.Entry<String, JsonNode> entry : tree.properties()) {
      SpaceYaml.placed(
          places,
          entry.getKey(),
          () -> {
            add(entry.getKey(), entry.getValue(), List.of(), parameters);
            return null;
          });
    }
    return SpaceYaml.placed(places, "", () -> new Space(parameters));
  }

  private static void add(
      String name, JsonNode node, List<Condition> conditions, List<Parameter> parameters) {
    JsonNode values = node.path(VALUE);
    if (!node.path(TYPE).isTextual() || !values.isArray()) {
      throw new UsageException(
          "%s is %s, expected {\"_type\": ..., \"_value\": [...]}".formatted(name, node));
    }
    String type = node.get(TYPE).textValue();
    if (type.equals("choice") && values.size() > 0 && values.get(0).has(NAME)) {
      addNested(name, values, conditions, parameters);
      return;
    }
    parameters.add(
        new Parameter(name, domain(name, type, values), conditions, OptionalInt.empty()));
  }

  private static void addNested(
      String name, JsonNode values, List<Condition> conditions, List<Parameter> parameters) {
    List<Object> names = new ArrayList<>();
    values.forEach(each -> names.add(each.path(NAME).asText()));
    parameters.add(new Parameter(name, new ChoiceDomain(names), conditions, OptionalInt.empty()));
    for (JsonNode option : values) {
      List<Condition> chosen =
          List.of(new Condition.OneOf(name, List.of(option.path(NAME).asText())));
      for (Map.Entry<String, JsonNode> inner : option.properties()) {
        if (!inner.getKey().equals(NAME)) {
          add(name + "." + inner.getKey(), inner.getValue(), chosen, parameters);
        }
      }
    }
  }

  private static Domain domain(String name, String type, JsonNode values) {
    return switch (type) {
      case "choice" -> {
        List<Object> choices = new ArrayList<>();
        values.forEach(each -> choices.add(JsonValues.of(each)));
        yield new ChoiceDomain(choices);
      }
      case "uniform" -> new RealDomain(number(name, values, 0), number(name, values, 1), 0, false);
      case "loguniform" ->
          new RealDomain(number(name, values, 0), number(name, values, 1), 0, true);
      case "quniform" ->
          new RealDomain(
              number(name, values, 0), number(name, values, 1), number(name, values, 2), false);
      case "randint" ->
          // The upper end is not included there.
          new WholeDomain(
              (long) number(name, values, 0), (long) number(name, values, 1) - 1, 1, false);
      case "qloguniform" -> {
        if (number(name, values, 2) != 1) {
          throw new UsageException(
              "%s: qloguniform is read with a step of 1 only; use loguniform or quniform"
                  .formatted(name));
        }
        yield new WholeDomain(
            (long) Math.ceil(number(name, values, 0)), (long) number(name, values, 1), 1, true);
      }
      case "normal", "qnormal", "lognormal", "qlognormal" ->
          throw new UsageException(
              "%s: %s has no ends; use uniform, quniform or loguniform".formatted(name, type));
      default ->
          throw new UsageException(
              "%s: unknown _type '%s', expected choice, randint, uniform, quniform, loguniform"
                  .formatted(name, type));
    };
  }

  private static double number(String name, JsonNode values, int index) {
    if (JsonValues.of(values.path(index)) instanceof Number number) {
      return number.doubleValue();
    }
    throw new UsageException("%s._value is %s, expected numbers".formatted(name, values));
  }
}
