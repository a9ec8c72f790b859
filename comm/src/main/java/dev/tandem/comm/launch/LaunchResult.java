package dev.tandem.comm.launch;

import dev.tandem.core.ExitCode;
import java.util.OptionalInt;

/**
 * How a job ended.
 *
 * @param exitCode 0 if all ranks ended well; 3 if a rank was lost; 130 if the job was stopped by
 *     Ctrl-C or SIGTERM; else that of the first failure
 * @param failedRank the rank that failed or was lost first, if one did
 * @param summary one line that says what happened; empty if all ended well
 */
public record LaunchResult(int exitCode, OptionalInt failedRank, String summary) {

  static final LaunchResult ALL_WELL = new LaunchResult(0, OptionalInt.empty(), "");
  static final LaunchResult STOPPED =
      new LaunchResult(
          ExitCode.INTERRUPTED.code(), OptionalInt.empty(), "stopped, all ranks were ended");
}
