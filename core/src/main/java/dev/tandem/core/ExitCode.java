package dev.tandem.core;

/** The exit codes of every Tandem process. */
public enum ExitCode {
  /** The work is done. */
  DONE(0),
  /** The work failed. */
  FAILED(1),
  /** The command line or the configuration is wrong. */
  USAGE(2),
  /** A peer or rank was lost. */
  PEER_LOST(3),
  /** Asked to stop in the middle; what was done is saved, and the work can be resumed. */
  STOPPED_AS_ASKED(4),
  /** Stopped by Ctrl-C or SIGTERM (128 + the signal's number, as shells report it). */
  INTERRUPTED(130);

  private final int code;

  ExitCode(int code) {
    this.code = code;
  }

  /** The number that the shell sees. */
  public int code() {
    return code;
  }
}
