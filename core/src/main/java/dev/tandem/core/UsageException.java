package dev.tandem.core;

/** The command line or the configuration is wrong: change it and run again. */
public final class UsageException extends TandemException {

  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message, null);
  }

  @Override
  public ExitCode exitCode() {
    return ExitCode.USAGE;
  }
}
