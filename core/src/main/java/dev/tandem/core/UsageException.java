package dev.tandem.core;

/**
 * The command line or the configuration is wrong: change it and run again. Modules subclass it
 * where callers must tell cases apart.
 */
public non-sealed class UsageException extends TandemException {

  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message, null);
  }

  @Override
  public ExitCode exitCode() {
    return ExitCode.USAGE;
  }
}
