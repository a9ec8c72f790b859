package dev.tandem.tune.space;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.testkit.TestSeed;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DomainTest {

  private static final List<Domain> DOMAINS =
      List.of(
          new RealDomain(-2, 3, 0, false),
          new RealDomain(1e-5, 1e-1, 0, true),
          new RealDomain(0, 0.5, 0.1, false),
          new WholeDomain(-3, 17, 1, false),
          new WholeDomain(16, 255, 16, false),
          new WholeDomain(1, 1000, 1, true),
          new ChoiceDomain(List.of("a", 2L, 3.5, true)),
          new ChoiceDomain(List.of("only")));

  @Test
  void everyInternalNumberIsAValueAndEveryValueHasAnInternalNumber() {
    SplittableRandom random = TestSeed.of(DomainTest.class).random();
    for (Domain domain : DOMAINS) {
      for (int i = 0; i < 1000; i++) {
        double range = domain.high() - domain.low();
        double internal = domain.low() - range / 4 + random.nextDouble() * range * 1.5;
        Object value = domain.value(internal);
        assertTrue(domain.contains(value), () -> domain + " " + value);
        assertEquals(value, domain.value(domain.internal(value)), domain::toString);
      }
    }
  }

  @Test
  void wholeNumbersAndChoicesAreEquallyLikely() {
    SplittableRandom random = TestSeed.of(DomainTest.class).random();
    for (Domain domain : List.of(new WholeDomain(0, 9, 3, false), DOMAINS.get(6))) {
      int[] seen = new int[4];
      for (int i = 0; i < 40_000; i++) {
        Object value =
            domain.value(domain.low() + random.nextDouble() * (domain.high() - domain.low()));
        seen[
            domain instanceof WholeDomain
                ? (int) ((Long) value / 3)
                : (int) domain.internal(value)]++;
      }
      for (int count : seen) {
        assertEquals(10_000, count, 600);
      }
    }
  }

  @Test
  void valuesOutsideAreNoneOfTheDomain() {
    assertFalse(new RealDomain(0, 1, 0, false).contains(1.0001));
    assertFalse(new RealDomain(0, 1, 0.25, false).contains(0.3));
    assertFalse(new WholeDomain(0, 10, 5, false).contains(3L));
    assertFalse(new WholeDomain(0, 10, 5, false).contains("5"));
    assertFalse(new ChoiceDomain(List.of("a")).contains("b"));
  }
}
