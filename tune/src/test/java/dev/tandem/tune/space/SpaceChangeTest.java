package dev.tandem.tune.space;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.YamlText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpaceChangeTest {

  private static Space space(String yaml) {
    return SpaceYaml.read(YamlText.parse("space", yaml).tree(), name -> "");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{x: {float: [1, 2]}}                  | {x: {float: [0, 2]}}                     | true",
        "{x: {float: [1, 2]}}                  | {x: {float: [1, 2], grid: 7}}            | true",
        "{x: {float: [1, 2]}}                  | {x: {float: [1.5, 3]}}                   | false",
        "{x: {float: [1, 2]}}                  | {x: {float: [1, 2], log: true}}          | false",
        "{x: {float: [1, 2]}}                  | {x: {float: [1, 2], step: 0.5}}          | false",
        "{x: {float: [0, 1], step: 0.5}}       | {x: {float: [-1, 2], step: 0.25}}        | true",
        "{x: {float: [0, 1], step: 0.5}}       | {x: {float: [0, 2], step: 0.4}}          | false",
        "{x: {int: [16, 64], step: 16}}        | {x: {int: [0, 128], step: 8}}            | true",
        "{x: {int: [16, 64], step: 16}}        | {x: {int: [8, 128], step: 16}}           | false",
        "{x: {int: [1, 2]}}                    | {x: {float: [1, 2]}}                     | false",
        "{x: [a, b]}                           | {x: [c, b, a]}                           | true",
        "{x: [a, b]}                           | {x: [a, c]}                              | false",
        "{x: [a, b]}                           | {x: [a, b], y: [1]}                      | false",
        "{x: [a], y: {choice: [1], when: {x: a}}} | {x: [a], y: [1]}                      | false",
      })
  void rangesMayGrowAndChoicesBeAdded(String begun, String wanted, boolean allowed) {
    if (allowed) {
      SpaceChange.require(space(begun), space(wanted));
    } else {
      String message =
          assertThrows(UsageException.class, () -> SpaceChange.require(space(begun), space(wanted)))
              .getMessage();
      assertTrue(message.contains("begin another by --name"), message);
      assertTrue(!message.contains("\n"), message);
    }
  }

  @Test
  void theMessageNamesTheParameterAndBothRanges() {
    String message =
        assertThrows(
                UsageException.class,
                () ->
                    SpaceChange.require(
                        space("{lr: {float: [0.1, 1.0]}}"), space("{lr: {float: [0.5, 1.0]}}")))
            .getMessage();
    assertEquals(
        "space.lr is {\"float\":[0.5,1.0]}, expected all values of {\"float\":[0.1,1.0]}: in a"
            + " study that goes on, ranges may grow and choices be added, no more; begin another by"
            + " --name",
        message);
  }
}
