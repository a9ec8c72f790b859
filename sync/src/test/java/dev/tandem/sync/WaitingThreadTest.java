package dev.tandem.sync;

import static dev.tandem.sync.SmallSteps.GRADIENTS;
import static dev.tandem.sync.SmallSteps.assertHolds;
import static dev.tandem.sync.SmallSteps.buckets;
import static dev.tandem.sync.SmallSteps.pause;
import static dev.tandem.sync.SmallSteps.ranks;
import static dev.tandem.sync.SmallSteps.start;
import static dev.tandem.sync.SmallSteps.step;
import static dev.tandem.sync.SmallSteps.tensor;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.PeerLostException;
import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import dev.tandem.sync.agent.SyncObserver;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.sync.request.Request;
import dev.tandem.testkit.TestSeed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that wait for results and do the background thread's work: Note [which thread works]. */
class WaitingThreadTest {

  private static final Duration LIMIT = Duration.ofMinutes(1);

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4})
  void sumsAreRightWhicheverThreadWorks(int size) throws Exception {
    Seed seed = TestSeed.of(getClass());
    for (boolean boards : new boolean[] {true, false}) {
      List<Boolean> own =
          Ranks.run(
              ranks(size, boards),
              LIMIT,
              communicator -> {
                SplittableRandom random = seed.derive(communicator.rank()).random();
                SmallSteps.Drivers drivers = new SmallSteps.Drivers();
                try (Synchronizer synchronizer =
                    start(communicator, buckets(2), GRADIENTS, drivers)) {
                  for (int step = 0; step < 200; step++) {
                    step(synchronizer, size, random);
                  }
                  communicator.barrier();
                }
                return drivers.had(Thread.currentThread());
              });
      assertTrue(own.contains(true), "no thread that waited has transferred anything");
    }
  }

  /** Three threads of each rank wait for what one of them, or the background thread, does. */
  @Test
  void severalThreadsWait() throws Exception {
    Seed seed = TestSeed.of(getClass());
    Ranks.run(
        2,
        LIMIT,
        communicator -> {
          try (Synchronizer synchronizer =
              start(communicator, SyncOptions.of("topo"), 3, SyncObserver.NONE)) {
            try (ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
              List<Future<?>> all = new ArrayList<>();
              for (int i = 0; i < 3; i++) {
                String name = "tensor" + i;
                SplittableRandom random = seed.derive(communicator.rank()).derive(i).random();
                all.add(
                    threads.submit(
                        () -> {
                          for (int step = 0; step < 300; step++) {
                            pause(random);
                            TensorView tensor = tensor(name, step + communicator.rank());
                            synchronizer.sum(tensor);
                            assertHolds(2f * step + 1, tensor);
                          }
                        }));
              }
              for (Future<?> each : all) {
                each.get();
              }
            }
            communicator.barrier();
          }
          return null;
        });
  }

  @Test
  void completionsAreCalledByTheThreadThatWorks() throws Exception {
    Ranks.run(
        2,
        LIMIT,
        communicator -> {
          Set<Thread> tellers = ConcurrentHashMap.newKeySet();
          SmallSteps.Drivers drivers = new SmallSteps.Drivers();
          try (Synchronizer synchronizer = start(communicator, buckets(2), 2, drivers)) {
            for (int step = 0; step < 100; step++) {
              TensorView told = tensor("tensor0", 1);
              TensorView awaited = tensor("tensor1", 2);
              CountDownLatch done = new CountDownLatch(1);
              synchronizer.request(
                  Request.gradient(
                      told,
                      1,
                      outcome -> {
                        tellers.add(Thread.currentThread());
                        outcome.orThrow();
                        done.countDown();
                      }));
              synchronizer.submit(awaited, 1);
              synchronizer.await();
              // Told before the one that was asked for later: they travel together, in order.
              assertEquals(0, done.getCount());
              assertHolds(2, told);
              assertHolds(4, awaited);
            }
            communicator.barrier();
          }
          assertEquals(drivers.all(), tellers);
          return null;
        });
  }

  /** One rank gets its sums before another, which has asked for them, waits for its own. */
  @Test
  void aProgramThatIsExpectedAndDoesNotComeHoldsUpNobody() throws Exception {
    Ranks.run(
        2,
        LIMIT,
        communicator -> {
          try (Synchronizer synchronizer = start(communicator, buckets(1), 1, SyncObserver.NONE)) {
            for (int step = 0; step < 50; step++) {
              TensorView tensor = tensor("tensor0", step);
              synchronizer.submit(tensor, 1);
              boolean strange = step % 10 == 9;
              if (strange && communicator.rank() == 0) {
                communicator.barrier();
              }
              synchronizer.await();
              assertHolds(2f * step, tensor);
              if (strange && communicator.rank() == 1) {
                communicator.barrier();
              }
            }
            communicator.barrier();
          }
          return null;
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLostRankEndsTheWaitOfTheThreadThatWorks(boolean boards) throws Exception {
    Seed seed = TestSeed.of(getClass());
    Ranks.run(
        ranks(3, boards),
        LIMIT,
        communicator -> {
          SplittableRandom random = seed.derive(communicator.rank()).random();
          Synchronizer synchronizer = start(communicator, buckets(2), GRADIENTS, SyncObserver.NONE);
          if (communicator.rank() == 2) {
            for (int step = 0; step < 20; step++) {
              step(synchronizer, 3, random);
            }
            return null; // Leaves without a word to the others' synchronisers.
          }
          PeerLostException lost =
              assertThrows(
                  PeerLostException.class,
                  () -> {
                    for (int step = 0; step < 1_000; step++) {
                      step(synchronizer, 3, random);
                    }
                  });
          assertEquals(2, lost.lostRank());
          // Whatever is asked for later fails in the same way, and the background thread ends.
          assertThrows(PeerLostException.class, () -> synchronizer.submit(tensor("tensor0", 1), 1));
          synchronizer.close();
          return null;
        });
  }

  @Test
  void closingEndsTheWaitOfTheThreadThatWorks() throws Exception {
    CountDownLatch waits = new CountDownLatch(1);
    Ranks.run(
        2,
        LIMIT,
        communicator -> {
          SmallSteps.Drivers drivers = new SmallSteps.Drivers();
          Synchronizer synchronizer = start(communicator, buckets(1), 1, drivers);
          for (int step = 0; step < 50; step++) {
            TensorView tensor = tensor("tensor0", 1);
            synchronizer.submit(tensor, 1);
            synchronizer.await();
            assertHolds(2, tensor);
          }
          if (communicator.rank() == 0) {
            synchronizer.submit(tensor("tensor0", 1), 1);
            waits.countDown();
            assertThrows(WorkFailedException.class, synchronizer::await);
          } else {
            waits.await();
            LockSupport.parkNanos(2_000_000); // Mostly it waits inside a collective by then.
          }
          synchronizer.close();
          return null;
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anInterruptDisturbsNothingAndIsKept(boolean boards) throws Exception {
    CountDownLatch waits = new CountDownLatch(1);
    Ranks.run(
        ranks(2, boards),
        LIMIT,
        communicator -> {
          try (Synchronizer synchronizer = start(communicator, buckets(2), 2, SyncObserver.NONE)) {
            for (int step = 0; step < 20; step++) {
              TensorView first = tensor("tensor0", step);
              TensorView second = tensor("tensor1", 1);
              boolean late = communicator.rank() == 1 && step == 10;
              if (late) {
                waits.await();
              }
              synchronizer.submit(first, 1);
              synchronizer.submit(second, 1);
              Thread self = Thread.currentThread();
              boolean inside = communicator.rank() == 0 && step == 10;
              if (step == 5) {
                self.interrupt();
              }
              if (inside) {
                Thread.ofPlatform().start(() -> interruptInside(self, waits));
              }
              synchronizer.await();
              assertEquals(step == 5 || inside, Thread.interrupted());
              assertHolds(2f * step, first);
              assertHolds(2, second);
            }
            communicator.barrier();
            assertFalse(Thread.interrupted());
          }
          return null;
        });
  }

  /** Interrupts a thread that waits for the other rank, and lets that come some time later. */
  private static void interruptInside(Thread waiting, CountDownLatch waits) {
    LockSupport.parkNanos(5_000_000);
    waiting.interrupt();
    LockSupport.parkNanos(5_000_000);
    waits.countDown();
  }
}
