package dev.tandem.comm.launch;

import dev.tandem.core.ExitCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Finds out from the ends of all ranks what went wrong first. A survivor's end can be seen before
 * the end that caused it, so time alone does not tell: a signal is a cause, a failure of the work
 * is a cause, "peer lost" is a consequence.
 */
final class FirstFailure {

  private final List<RankExit> exits = new ArrayList<>();

  void add(RankExit exit) {
    exits.add(exit);
  }

  boolean failed() {
    return exits.stream().anyMatch(exit -> exit.code() != 0);
  }

  LaunchResult result(OptionalInt reportedLoss) {
    if (!failed()) {
      return LaunchResult.ALL_WELL;
    }
    if (exits.stream().anyMatch(RankExit::byControlC)) {
      return LaunchResult.STOPPED;
    }
    Optional<RankExit> killed = exits.stream().filter(RankExit::lost).findFirst();
    if (killed.isPresent()) {
      return lost(killed.get().rank(), killed.get().toString());
    }
    Optional<RankExit> failure =
        exits.stream()
            .filter(exit -> exit.code() != 0 && exit.code() != ExitCode.PEER_LOST.code())
            .findFirst();
    if (failure.isPresent()) {
      RankExit exit = failure.get();
      return new LaunchResult(exit.code(), OptionalInt.of(exit.rank()), exit.toString());
    }
    if (reportedLoss.isPresent()) {
      return lost(reportedLoss.getAsInt(), "its peers gave it up");
    }
    return new LaunchResult(
        ExitCode.PEER_LOST.code(), OptionalInt.empty(), "a rank was lost, it is not known which");
  }

  private static LaunchResult lost(int rank, String how) {
    return new LaunchResult(
        ExitCode.PEER_LOST.code(), OptionalInt.of(rank), "lost rank %d: %s".formatted(rank, how));
  }
}
