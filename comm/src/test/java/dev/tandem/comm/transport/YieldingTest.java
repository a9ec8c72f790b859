package dev.tandem.comm.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.posix.Affinity;
import dev.tandem.testkit.Watchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Waiting burns a bounded time, whoever else is on the processor, and binds no thread to one. */
class YieldingTest {

  private static final int YIELDS = 300;
  private static final int WAITS = 100;

  private final Affinity affinity = Affinity.capability().orElseThrow();

  private static WaitPolicy sharing(int seat) {
    return new WaitPolicy(Duration.ZERO, YIELDS, seat);
  }

  /** The most yields of a wait. */
  private static int longestWait(Yielding yielding) {
    int most = 0;
    for (int wait = 0; wait < WAITS; wait++) {
      yielding.begin();
      int yields = 0;
      while (yielding.once()) {
        yields++;
      }
      most = Math.max(most, yields);
    }
    return most;
  }

  @Test
  void manyThatYieldToEachOtherGetTired() throws Exception {
    BitSet one = new BitSet();
    one.set(affinity.current().nextSetBit(0));
    List<FutureTask<Integer>> threads = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      FutureTask<Integer> thread =
          new FutureTask<>(
              () -> {
                affinity.pin(one);
                return longestWait(new Yielding(sharing(0)));
              });
      threads.add(thread);
      Thread.ofPlatform().daemon().start(thread);
    }
    for (FutureTask<Integer> thread : threads) {
      int yields = Watchdog.within(Duration.ofMinutes(1), thread::get);
      assertTrue(yields <= YIELDS, yields + " yields");
    }
  }

  @Test
  void whoHasAProcessorAloneNeverYieldsInAWait() {
    Yielding yielding = new Yielding(new WaitPolicy(Duration.ofNanos(1), 0, 0));
    assertEquals(0, longestWait(yielding));
  }

  @Test
  void seatsAndOffersKeepTheProcessorsOfAThread() throws Exception {
    FutureTask<BitSet> platform = new FutureTask<>(this::waitAround);
    Thread.ofPlatform().daemon().start(platform);
    assertEquals(affinity.current(), platform.get());
    FutureTask<BitSet> virtual = new FutureTask<>(this::waitAround);
    Thread.ofVirtual().start(virtual);
    assertEquals(affinity.current(), virtual.get());
  }

  private BitSet waitAround() {
    for (int seat = 0; seat < 5; seat++) {
      Yielding yielding = new Yielding(sharing(seat));
      yielding.begin();
      for (int offer = 0; offer < 100; offer++) {
        yielding.offer();
      }
      Seat.leave();
    }
    return affinity.current();
  }
}
