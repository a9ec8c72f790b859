package dev.tandem.bench.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.testkit.TestSeed;
import dev.tandem.tune.space.Parameters;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class QualityVerdictTest {

  private static List<Double> values(SplittableRandom random, double factor) {
    return random.doubles(20).map(each -> factor * Math.exp(each)).boxed().toList();
  }

  private static QualityCase of(String name, SplittableRandom random, double factor) {
    return new QualityCase(name, values(random, factor), values(random, 1));
  }

  @Test
  void equalSidesPassAndAMuchWorseOneIsNamed() {
    SplittableRandom random = TestSeed.of(getClass()).random();
    List<Double> same = values(random, 1);
    QualityVerdict equal = QualityVerdict.of(List.of(new QualityCase("same", same, same)));
    assertTrue(equal.passed());
    assertEquals(1, equal.mean().median(), 1e-12);
    QualityVerdict better = QualityVerdict.of(List.of(of("a", random, 0.1), of("b", random, 0.2)));
    assertTrue(better.passed());
    assertTrue(better.mean().high() < 0.5);
    QualityVerdict worse =
        QualityVerdict.of(List.of(of("good", random, 0.01), of("bad", random, 9)));
    assertEquals(List.of("bad"), worse.worse());
    assertFalse(worse.passed());
  }

  @Test
  void functionsHaveTheirLeastValueWhereTheySayAndNoLessElsewhere() {
    SplittableRandom random = TestSeed.of(getClass()).random();
    List<TestFunction> functions = TestFunctions.all();
    for (TestFunction function : functions) {
      for (int i = 0; i < 2000; i++) {
        Parameters at =
            function
                .space()
                .choose(
                    each ->
                        each.domain()
                            .value(random.nextDouble(each.domain().low(), each.domain().high())));
        assertTrue(function.value().applyAsDouble(at) >= function.least(), function.name());
      }
    }
    assertEquals(0, functions.get(0).regret(Parameters.of(Map.of("x", Math.PI, "y", 2.275))), 1e-9);
    Parameters sgd =
        Parameters.of(
            Map.of("optimizer", "sgd", "rate", Math.pow(10, -1.3), "momentum", 0.9, "layers", 3));
    assertEquals(0, functions.get(4).regret(sgd), 1e-9);
  }
}
