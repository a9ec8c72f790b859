package dev.tandem.oracle.published;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.testkit.TestSeed;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class NonNegativeFitTest {

  @Test
  void unknownsAreFound() {
    SplittableRandom random = TestSeed.of(NonNegativeFitTest.class).random();
    double[] unknowns = random.doubles(6).toArray();
    NonNegativeFit fit = new NonNegativeFit(unknowns.length);
    for (int i = 0; i < 40; i++) {
      double[] factors = random.doubles(unknowns.length, -1, 1).toArray();
      fit.add(factors, product(factors, unknowns), 1 + random.nextDouble());
    }
    assertArrayEquals(unknowns, fit.solve(new double[unknowns.length]), 1e-4);
  }

  @Test
  void whatWouldBeNegativeIsZero() {
    NonNegativeFit fit = new NonNegativeFit(2);
    fit.add(new double[] {1, 0}, -3, 1);
    fit.add(new double[] {1, 1}, 2, 1);
    double[] found = fit.solve(new double[] {1, 1});
    assertEquals(0, found[0]);
    assertEquals(2, found[1], 1e-6);
  }

  @Test
  void weightsCount() {
    NonNegativeFit fit = new NonNegativeFit(1);
    fit.add(new double[] {1}, 1, 1);
    fit.add(new double[] {1}, 2, 3);
    assertEquals(1.75, fit.solve(new double[] {0})[0], 1e-6);
    assertTrue(fit.solve(new double[] {9})[0] < 2);
  }

  private static double product(double[] factors, double[] unknowns) {
    double sum = 0;
    for (int i = 0; i < factors.length; i++) {
      sum += factors[i] * unknowns[i];
    }
    return sum;
  }
}
