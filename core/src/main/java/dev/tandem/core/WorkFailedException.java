package dev.tandem.core;

/**
 * The work failed although it was asked for rightly: a damaged file, a full disk, a missing
 * permission. The message names the file; modules subclass it where callers must tell cases apart.
 */
public non-sealed class WorkFailedException extends TandemException {

  private static final long serialVersionUID = 1L;

  public WorkFailedException(String message) {
    super(message, null);
  }

  public WorkFailedException(String message, Throwable cause) {
    super(message, cause);
  }

  @Override
  public ExitCode exitCode() {
    return ExitCode.FAILED;
  }
}
