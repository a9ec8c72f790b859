package dev.tandem.nn;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.core.UsageException;

/** The GPU of this machine, for tests that are tagged {@code gpu}. */
final class Gpu {

  private Gpu() {}

  /** The engine on the first GPU; without one the test is skipped and says why. */
  static Engine engine() {
    return engine(EngineOptions.of(new Device("cuda:0"), 1));
  }

  static Engine engine(EngineOptions options) {
    try {
      return Engine.start(options);
    } catch (UsageException e) {
      assumeTrue(false, e.getMessage());
      throw e;
    }
  }
}
