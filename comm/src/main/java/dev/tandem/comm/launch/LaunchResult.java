package dev.tandem.comm.launch;

import dev.tandem.core.ExitCode;
import java.util.OptionalInt;

/**
 * How a job ended.
 *
 * @param exitCode 0 if all ranks ended well; 3 if a rank was lost; 4 if one was asked to stop and
 *     all saved; 130 if the job was stopped; else that of the first failure. A launching process
 *     that was itself stopped by a signal never gets to use it: the virtual machine ends with the
 *     code of the signal, 130 after Ctrl-C and 143 after SIGTERM
 * @param failedRank the rank that failed or was lost first, if one did
 * @param summary one line that says what happened; empty if all ended well
 */
public record LaunchResult(int exitCode, OptionalInt failedRank, String summary) {

  static final LaunchResult ALL_WELL = new LaunchResult(0, OptionalInt.empty(), "");
  static final LaunchResult STOPPED =
      new LaunchResult(
          ExitCode.INTERRUPTED.code(), OptionalInt.empty(), "stopped, all ranks were ended");
}
