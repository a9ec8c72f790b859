package dev.tandem.tune.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.testkit.TestSeed;
import java.util.SplittableRandom;
import org.hipparchus.special.Erf;
import org.junit.jupiter.api.Test;

class GaussianTest {

  @Test
  void agreesWithContinuedFractionsOverTheWholeRange() {
    SplittableRandom random = TestSeed.of(getClass()).random();
    for (int i = 0; i < 5000; i++) {
      double x = random.nextDouble(-6, 26);
      double expected = Erf.erfc(x);
      assertEquals(expected, Gaussian.erfc(x), 1e-12 * Math.abs(expected), () -> "erfc " + x);
      if (x < 20) {
        double scaled = Math.exp(x * x) * expected;
        assertEquals(scaled, Gaussian.erfcx(x), 1e-11 * scaled, () -> "erfcx " + x);
      }
    }
    // Beyond the range of erfc: 1/(x sqrt(pi)) (1 - 1/(2 x^2) + ...).
    assertEquals(1 / (1e6 * Math.sqrt(Math.PI)), Gaussian.erfcx(1e6), 1e-15);
  }

  @Test
  void intervalsInTheTailsKeepTheirDigits() {
    assertEquals(6.2e-16, Gaussian.between(8, 9), 0.1e-16);
    assertEquals(Gaussian.between(8, 9), Gaussian.between(-9, -8), 1e-26);
    assertEquals(1, Gaussian.between(-40, 40));
  }
}
