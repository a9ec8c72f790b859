package dev.tandem.cli;

/**
 * Sees to it that a run which is stopped (Ctrl-C, SIGTERM) or fails leaves no half-written file:
 * what still bears the suffix {@code .pending} at its end is removed.
 */
final class RunGuard implements AutoCloseable {

  private final RunFolder run;
  private final Thread hook;

  RunGuard(RunFolder run) {
    this.run = run;
    this.hook = new Thread(run::deletePending, "tandem-clean-up");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
      run.deletePending();
    } catch (IllegalStateException e) {
      // The JVM is shutting down and the hook does it.
    }
  }
}
