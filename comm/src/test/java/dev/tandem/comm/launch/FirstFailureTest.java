package dev.tandem.comm.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class FirstFailureTest {

  private static LaunchResult verdict(OptionalInt reported, RankExit... exits) {
    FirstFailure verdict = new FirstFailure();
    for (RankExit exit : exits) {
      verdict.add(exit);
    }
    return verdict.result(reported);
  }

  @Test
  void aSurvivorSeenFirstIsNotTheCause() {
    LaunchResult result =
        verdict(OptionalInt.empty(), new RankExit(0, 3), new RankExit(2, 3), new RankExit(1, 137));
    assertEquals(3, result.exitCode());
    assertEquals("lost rank 1: rank 1 was ended by signal 9", result.summary());
    assertEquals(
        1, verdict(OptionalInt.empty(), new RankExit(0, 3), new RankExit(1, 1)).exitCode());
  }

  @Test
  void whoOnlyHangsIsNamedByTheReports() {
    LaunchResult result = verdict(OptionalInt.of(1), new RankExit(0, 3), new RankExit(2, 3));
    assertEquals(OptionalInt.of(1), result.failedRank());
    assertEquals(3, verdict(OptionalInt.empty(), new RankExit(0, 3)).exitCode());
  }

  @Test
  void controlCIsNoLoss() {
    assertEquals(
        LaunchResult.STOPPED, verdict(OptionalInt.of(0), new RankExit(0, 130), new RankExit(1, 3)));
    assertEquals(LaunchResult.ALL_WELL, verdict(OptionalInt.empty(), new RankExit(0, 0)));
  }
}
