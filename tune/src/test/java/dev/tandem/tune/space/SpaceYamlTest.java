package dev.tandem.tune.space;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.YamlText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpaceYamlTest {

  private static Space read(String yaml) {
    YamlText text = YamlText.parse("space", yaml);
    return SpaceYaml.read(text.tree(), key -> text.nearest(key) + ": ");
  }

  @Test
  void everyKindAndConditionIsReadAndWrittenBack() {
    Space space =
        read(
            """
            lr: {float: [1e-5, 1e-1], log: true, grid: 5}
            batch: {int: [16, 250], step: 16}
            width: {int: [4, 512], log: true}
            opt: [adam, sgd, 3, true]
            drop: {float: [0, 0.5], step: 0.1}
            momentum: {float: [0, 1], when: {opt: sgd}}
            nesterov: {choice: [yes, no], when: {opt: sgd, momentum: {min: 0.5}}}
            seed: 7
            """);

    assertEquals(new RealDomain(1e-5, 1e-1, 0, true), space.parameter("lr").domain());
    assertEquals(new WholeDomain(16, 240, 16, false), space.parameter("batch").domain());
    assertEquals(
        new ChoiceDomain(List.of("adam", "sgd", 3L, true)), space.parameter("opt").domain());
    assertEquals(
        List.of(
            new Condition.OneOf("opt", List.of("sgd")),
            new Condition.Between("momentum", 0.5, Double.POSITIVE_INFINITY)),
        space.parameter("nesterov").conditions());
    assertTrue(space.parameter("seed").domain().single());
    assertEquals(3, space.groups().size());
    assertEquals(space, SpaceYaml.read(SpaceYaml.write(space), key -> ""));
    assertEquals(space, read(SpaceYaml.write(space).toString()));
  }

  @Test
  void theConfigurationOfTheThesisIsAGridOfChoices(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("config.json");
    Files.writeString(
        file,
        """
        {
          "optimizer": ["Adam", "SGD", "RMSprop"],
          "num_epochs": [20, 50, 100],
          "batch_size": [32, 64, 128]
        }
        """);
    Space space = SpaceYaml.read(file);
    assertEquals(
        List.of("optimizer", "num_epochs", "batch_size"),
        space.parameters().stream().map(Parameter::name).toList());
    assertEquals(27, space.count().orElseThrow());
  }

  @Test
  void searchSpacesOfNniAreRead() {
    Space space =
        read(
            """
            {"lr": {"_type": "loguniform", "_value": [0.0001, 0.1]},
             "units": {"_type": "randint", "_value": [10, 20]},
             "drop": {"_type": "quniform", "_value": [0, 1, 0.25]},
             "layer": {"_type": "choice", "_value": [
                {"_name": "pool", "size": {"_type": "choice", "_value": [2, 3]}},
                {"_name": "none"}]}}
            """);
    assertEquals(new RealDomain(1e-4, 0.1, 0, true), space.parameter("lr").domain());
    assertEquals(new WholeDomain(10, 19, 1, false), space.parameter("units").domain());
    assertEquals(5, space.parameter("drop").domain().count().orElseThrow());
    assertTrue(
        space.contains(
            Parameters.of(
                Map.of("lr", 0.01, "units", 12, "drop", 0.5, "layer", "pool", "layer.size", 2))));
    assertFalse(
        space.contains(
            Parameters.of(
                Map.of("lr", 0.01, "units", 12, "drop", 0.5, "layer", "none", "layer.size", 2))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "lr: {float: [1, 0]} | space:1: lr: float is [1.0, 0.0], expected two numbers, the smaller"
            + " one first",
        "lr: {float: [0, 1], log: true} | space:1: lr: log needs numbers above 0, and float begins"
            + " at 0.0",
        "lr: {flot: [0, 1]} | space:1: lr: unknown key 'flot', expected float, int or choice, and"
            + " log, step, grid, when; did you mean 'float'?",
        "lr: {int: [0, 1.5]} | space:1: lr: int has 1.5, expected a whole number",
        "lr: {float: [0, 1], int: [0, 1]} | space:1: lr: expected one of float, int and choice, not"
            + " [float, int]",
        "lr: [] | space:1: lr: there is nothing to choose from, expected one value or more",
        "lr: [1, 1] | space:1: lr: [1, 1] holds a value twice",
        "lr: {float: 3} | space:1: lr: float is 3, expected [least, greatest]",
        "a: {choice: [1], when: {b: 1}} | space: a.when names 'b', which is no parameter before it;"
            + " those are []",
        "{b: [1, 2], a: {choice: [1], when: {b: 3}}} | space: a.when.b is 3, which b never is",
        "x y: [1] | space:1: x y: 'x y' is no name of a parameter: expected letters, digits, '_',"
            + " '-' and '.', a letter first",
        "3 | space: expected parameters, each a name with its values, such as opt: [adam, sgd]",
        "lr: {_type: normal, _value: [0, 1]} | space:1: lr: lr: normal has no ends; use uniform,"
            + " quniform or loguniform",
      })
  void mistakesAreOneLine(String yaml, String message) {
    assertEquals(
        message.strip(), assertThrows(UsageException.class, () -> read(yaml)).getMessage());
  }
}
