package dev.tandem.testkit;

import dev.tandem.core.Seed;

/** The seed of a random test: new each run, printed, and repeatable by {@code -Dtandem.seed=N}. */
public final class TestSeed {

  private TestSeed() {}

  /** A seed for this test, printed so that a failure can be repeated. */
  public static Seed of(Class<?> test) {
    Long given = Long.getLong("tandem.seed");
    long value = given != null ? given : System.nanoTime();
    System.out.println(test.getSimpleName() + ": repeat with -Dtandem.seed=" + value);
    return new Seed(value);
  }
}
