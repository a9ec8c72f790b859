package dev.tandem.comm.launch;

import java.util.OptionalInt;

/**
 * How a job ended.
 *
 * @param exitCode 0 if all ranks ended well; 3 if a rank was lost; else that of the first failure
 * @param failedRank the rank that failed or was lost first, if one did
 * @param summary one line that says what happened; empty if all ended well
 */
public record LaunchResult(int exitCode, OptionalInt failedRank, String summary) {

  static final LaunchResult ALL_WELL = new LaunchResult(0, OptionalInt.empty(), "");
}
