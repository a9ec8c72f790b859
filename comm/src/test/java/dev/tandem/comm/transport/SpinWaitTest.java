package dev.tandem.comm.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.posix.Affinity;
import java.time.Duration;
import java.util.BitSet;
import java.util.OptionalInt;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Every wait comes to its end, in sleep, and no thread is bound to a core by it. */
class SpinWaitTest {

  private final Affinity affinity = Affinity.capability().orElseThrow();

  /** Idles until it is time to sleep; how often it did. */
  private static int idles(SpinWait wait) {
    wait.begin();
    int idles = 0;
    while (wait.idle()) {
      idles++;
    }
    assertFalse(wait.idle(), "once it is time to sleep it stays so");
    return idles;
  }

  @Test
  void everyPhaseIsBounded() {
    Duration some = Duration.ofNanos(200_000);
    Duration none = Duration.ZERO;
    for (OptionalInt core : new OptionalInt[] {OptionalInt.empty(), OptionalInt.of(3)}) {
      assertEquals(0, idles(new SpinWait(new WaitPolicy(none, none, none, core))));
      assertTrue(idles(new SpinWait(new WaitPolicy(some, none, none, core))) > 0);
      assertTrue(idles(new SpinWait(new WaitPolicy(none, some, none, core))) > 0);
      assertTrue(idles(new SpinWait(new WaitPolicy(none, none, some, core))) > 0);
      assertTrue(idles(new SpinWait(new WaitPolicy(some, some, some, core))) > 0);
    }
    assertTrue(idles(new SpinWait(WaitPolicy.PARKED)) > 0);
  }

  @Test
  void waitingKeepsTheCoresOfAThread() throws Exception {
    FutureTask<BitSet> platform = new FutureTask<>(this::waitAround);
    Thread.ofPlatform().daemon().start(platform);
    assertEquals(affinity.current(), platform.get());
    FutureTask<BitSet> virtual = new FutureTask<>(this::waitAround);
    Thread.ofVirtual().start(virtual);
    assertEquals(affinity.current(), virtual.get());
  }

  private BitSet waitAround() {
    for (int rank = 0; rank < 5; rank++) {
      idles(new SpinWait(WaitPolicy.forRank(rank, 1)));
      idles(new SpinWait(WaitPolicy.forRank(rank, 1_000)));
      CpuPlacement.moveAway();
    }
    return affinity.current();
  }
}
