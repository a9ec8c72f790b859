package dev.tandem.core;

/**
 * A failure that a user should read about: its message is one line that says what happened, to
 * which file, rank or tensor, and what to do next. The subclass says which kind of remedy there is.
 */
public abstract sealed class TandemException extends RuntimeException
    permits UsageException, WorkFailedException, PeerLostException, StoppedException {

  private static final long serialVersionUID = 1L;

  TandemException(String message, Throwable cause) {
    super(message, cause);
  }

  /** The exit code of a process that ends with this failure. */
  public abstract ExitCode exitCode();
}
