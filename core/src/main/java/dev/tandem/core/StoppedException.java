package dev.tandem.core;

/**
 * The work was asked to stop before its end, and has saved what it did: resume it when it may run
 * again.
 */
public final class StoppedException extends TandemException {

  private static final long serialVersionUID = 1L;

  public StoppedException(String message) {
    super(message, null);
  }

  @Override
  public ExitCode exitCode() {
    return ExitCode.STOPPED_AS_ASKED;
  }
}
