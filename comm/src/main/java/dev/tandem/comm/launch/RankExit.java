package dev.tandem.comm.launch;

import dev.tandem.core.ExitCode;
import java.util.Optional;

/**
 * The end of one rank's process; a code from 129 to 192 means a signal, 128 + its number.
 *
 * @param remoteHost the host, if a remote shell gave the code
 * @param cause what made a signal end it, if that is known
 */
record RankExit(int rank, int code, Optional<String> remoteHost, Optional<String> cause) {

  private static final int SIGNAL_BASE = 128;
  private static final int LAST_SIGNAL = 64;
  private static final int SIGINT = 2;
  private static final int SIGKILL = 9;

  /** What ssh gives when its connection failed, or what it started was ended by a signal. */
  private static final int REMOTE_SHELL_FAILED = 255;

  RankExit(int rank, int code) {
    this(rank, code, Optional.empty(), Optional.empty());
  }

  /** Whether SIGKILL ended it, on this machine. */
  boolean killedHere() {
    return code == SIGNAL_BASE + SIGKILL && remoteHost.isEmpty();
  }

  /** The same with this cause, which follows after "was ended by signal 9". */
  RankExit by(String known) {
    return new RankExit(rank, code, remoteHost, Optional.of(known));
  }

  /** Whether it ended by no decision of its own. */
  boolean lost() {
    return bySignal() || (remoteHost.isPresent() && code == REMOTE_SHELL_FAILED);
  }

  private boolean bySignal() {
    return code > SIGNAL_BASE && code <= SIGNAL_BASE + LAST_SIGNAL;
  }

  /** Whether it was asked to stop, and did when all was saved. */
  boolean asAsked() {
    return code == ExitCode.STOPPED_AS_ASKED.code();
  }

  /** Ctrl-C goes to all processes of a terminal: a rank may see it before the launcher does. */
  boolean byControlC() {
    return code == SIGNAL_BASE + SIGINT;
  }

  @Override
  public String toString() {
    if (bySignal()) {
      return "rank %d was ended by signal %d%s"
          .formatted(rank, code - SIGNAL_BASE, cause.map(known -> " " + known).orElse(""));
    }
    return lost()
        ? "the remote shell of host %s failed, or rank %d was ended by a signal there"
            .formatted(remoteHost.get(), rank)
        : "rank %d ended with exit code %d".formatted(rank, code);
  }
}
