package dev.tandem.bench.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of two modes beside what the thesis says of them. */
class ModesExpectationTest {

  private static List<String> compare(String database, String mode, double speed, String against) {
    return ModesExpectation.compare(
        database, List.of(1, 8), Map.of(mode, Map.of(8, speed), against, Map.of(8, 100.0)));
  }

  @ParameterizedTest
  @CsvSource({
    "cifar, dm, 130, lmm, differs",
    "cifar, dm, 105, lmm, agrees",
    "cifar, dm, 70, lmm, agrees",
    "cifar, coal, 130, prov, agrees",
    "cifar, coal, 95, prov, no difference here",
    "cifar, coal, 70, prov, differs",
    "imagenet, coal, 130, prov, differs",
    "imagenet, coal, 105, prov, no difference here",
    "imagenet, coal, 70, prov, agrees",
  })
  void aVerdictFollowsTheRatio(
      String database, String mode, double speed, String against, String verdict) {
    List<String> lines = compare(database, mode, speed, against);
    assertTrue(lines.getFirst().endsWith(": " + verdict), lines.getFirst());
    assertEquals(verdict.equals("agrees") ? 1 : 2, lines.size(), "with a reason unless it agrees");
  }

  /** With one process nobody is staggered, and nothing is out of order. */
  @Test
  void oneProcessAloneSaysNothing() {
    Map<String, Map<Integer, Double>> speeds =
        Map.of("stag", Map.of(1, 150.0), "coal", Map.of(1, 100.0));
    assertEquals(List.of(), ModesExpectation.compare("cifar", List.of(1, 8), speeds));
  }
}
