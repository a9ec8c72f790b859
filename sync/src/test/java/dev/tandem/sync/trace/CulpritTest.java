package dev.tandem.sync.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.sync.trace.StragglerReport.Cause;
import dev.tandem.sync.trace.StragglerReport.Finding;
import java.util.List;
import org.junit.jupiter.api.Test;

class CulpritTest {

  private static final StepTimes NORMAL = new StepTimes(1, 20, 0.5, 2, 1, 0.1, 0);

  private static Finding finding(StepTimes second) {
    return new Culprit(List.of(NORMAL, second, NORMAL), List.of(0.0, 0.2, 0.3), 128 << 10)
        .finding();
  }

  private static void check(Cause cause, int rank, String part, Finding finding) {
    assertEquals(cause, finding.cause(), finding.sentence());
    assertEquals(rank, finding.rank());
    assertTrue(finding.sentence().contains(part), finding.sentence());
  }

  @Test
  void theCulpritIsNamed() {
    check(
        Cause.INPUT,
        1,
        "rank 1 holds the others up by 15.0 ms a step: it waits for input for 16.0 ms",
        finding(new StepTimes(16, 20, 0.5, 0.1, 1, 0.1, 0)));
    check(
        Cause.COMPUTE,
        1,
        "rank 1 holds the others up by 15.0 ms a step: it computes for 35.0 ms",
        finding(new StepTimes(1, 35, 1, 0.1, 1, 0.1, 0)));
    check(
        Cause.SCHEDULING,
        1,
        "its threads wait for a core for 14.0 ms",
        finding(new StepTimes(1, 35, 14, 0.1, 1, 0.1, 0)));
    check(Cause.NONE, -1, "no rank", finding(NORMAL));
  }

  @Test
  void slowTransfersAreTheNetwork() {
    StepTimes slow = new StepTimes(1, 20, 0.5, 2, 30, 0.1, 0);
    Finding finding =
        new Culprit(List.of(slow, slow, slow), List.of(0.0, 0.2, 4.5), 128 << 10).finding();
    check(Cause.NETWORK, 2, "the slowest link is that of rank 2, 4.50 ms", finding);
  }

  @Test
  void slowTransfersOverFastLinksAreALackOfCores() {
    StepTimes slow = new StepTimes(1, 20, 50, 2, 30, 0.1, 0);
    StepTimes slowest = new StepTimes(1, 20, 60, 2, 30, 0.1, 0);
    Finding finding =
        new Culprit(List.of(slow, slowest, slow), List.of(0.0, 0.2, 0.3), 128 << 10).finding();
    check(Cause.SCHEDULING, 1, "those of rank 1 for 60.0 ms", finding);
  }
}
