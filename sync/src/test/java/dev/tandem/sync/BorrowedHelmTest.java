package dev.tandem.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.transport.ThreadsTransport;
import dev.tandem.core.DType;
import dev.tandem.core.PeerLostException;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import dev.tandem.sync.agent.SyncObserver;
import dev.tandem.sync.agent.Transfer;
import dev.tandem.sync.plan.RequestGraph;
import dev.tandem.sync.policy.Overlap;
import dev.tandem.sync.policy.Policy;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.sync.request.Request;
import dev.tandem.sync.request.Signature;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
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

/** Threads that wait for results and do the background thread's work: Note [who drives]. */
class BorrowedHelmTest {

  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int LENGTH = 700;
  private static final int GRADIENTS = 6;

  /** Threads in which transfers of a rank ended. */
  private static final class Drivers implements SyncObserver {

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final Map<Long, Thread> byNumber = new ConcurrentHashMap<>();

    @Override
    public void transferred(Transfer transfer) {
      threads.add(Thread.currentThread());
      byNumber.put(transfer.number(), Thread.currentThread());
    }

    /** Whether this thread did the first transfer of a step that has so many. */
    boolean hadFirstOf(int transfers, Thread thread) {
      return byNumber.entrySet().stream()
          .anyMatch(each -> each.getKey() % transfers == 0 && each.getValue().equals(thread));
    }

    boolean had(Thread thread) {
      return threads.contains(thread);
    }

    boolean hadAnother(Thread thread) {
      return threads.stream().anyMatch(driver -> !driver.equals(thread));
    }
  }

  private static TensorView tensor(String name, float value) {
    float[] values = new float[LENGTH];
    Arrays.fill(values, value);
    return new TensorView(name, DType.FLOAT32, Shape.of(LENGTH), MemorySegment.ofArray(values));
  }

  private static void assertHolds(float expected, TensorView tensor) {
    assertEquals(expected, tensor.data().getAtIndex(ValueLayout.JAVA_FLOAT, 0), tensor.name());
    assertEquals(expected, tensor.data().getAtIndex(ValueLayout.JAVA_FLOAT, LENGTH - 1));
  }

  /** Of a step that requests these, none of which depends on another. */
  private static RequestGraph graph(int requests) {
    RequestGraph.Builder builder = new RequestGraph.Builder();
    for (int i = 0; i < requests; i++) {
      builder.request("tensor" + i, Signature.sum(DType.FLOAT32, Shape.of(LENGTH)));
    }
    return builder.build();
  }

  /** Two gradients to a bucket, so that some are complete long before a step ends. */
  private static SyncOptions buckets(int gradients) {
    Policy.Bucketed usual = Policy.bucketed();
    long bytes = (long) gradients * LENGTH * Float.BYTES;
    return SyncOptions.of(new Policy.Bucketed(bytes, bytes, usual.leaving()));
  }

  private static Synchronizer start(
      Communicator communicator, SyncOptions options, int requests, SyncObserver observer) {
    return Synchronizer.over(communicator, options)
        .planning(graph(requests))
        .observedBy(observer)
        .start();
  }

  /** One step of a rank: everything in some order, and then waits. */
  private static void step(Synchronizer synchronizer, int ranks, SplittableRandom random) {
    List<TensorView> gradients = new ArrayList<>();
    for (int i = 0; i < GRADIENTS; i++) {
      gradients.add(tensor("tensor" + i, i + 1));
    }
    Collections.shuffle(gradients, new Random(random.nextLong()));
    for (TensorView gradient : gradients) {
      pause(random);
      synchronizer.submit(gradient, 1);
    }
    pause(random);
    synchronizer.await();
    for (TensorView gradient : gradients) {
      int i = gradient.name().charAt("tensor".length()) - '0';
      assertHolds((float) ranks * (i + 1), gradient);
    }
  }

  /** Mostly nothing, sometimes shorter than the background thread's grace, sometimes longer. */
  private static void pause(SplittableRandom random) {
    int kind = random.nextInt(20);
    if (kind == 0) {
      LockSupport.parkNanos(random.nextLong(1_500_000));
    } else if (kind < 5) {
      LockSupport.parkNanos(random.nextLong(100_000));
    }
  }

  private static List<Communicator> ranks(int size, boolean boards) {
    return ThreadsTransport.create(size, boards).stream().map(Communicator::over).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4})
  void sumsAreRightWhoeverDrives(int size) throws Exception {
    Seed seed = TestSeed.of(getClass());
    for (boolean boards : new boolean[] {true, false}) {
      for (Overlap overlap : List.of(Overlap.ALWAYS, Overlap.NEVER)) {
        List<Boolean> borrowed =
            Ranks.run(
                ranks(size, boards),
                LIMIT,
                communicator -> {
                  SplittableRandom random = seed.derive(communicator.rank()).random();
                  Drivers drivers = new Drivers();
                  try (Synchronizer synchronizer =
                      start(communicator, buckets(2).with(overlap), GRADIENTS, drivers)) {
                    for (int step = 0; step < 200; step++) {
                      step(synchronizer, size, random);
                    }
                    communicator.barrier();
                  }
                  if (overlap == Overlap.ALWAYS) {
                    assertTrue(drivers.hadAnother(Thread.currentThread()), "nothing overlapped");
                  }
                  return drivers.had(Thread.currentThread());
                });
        assertTrue(borrowed.contains(true), "nobody ever borrowed the helm");
      }
    }
  }

  /** Though the first bucket is complete long before the step ends. */
  @Test
  void deferredTransfersAreDoneByWhoWaits() throws Exception {
    Ranks.run(
        2,
        LIMIT,
        communicator -> {
          Drivers drivers = new Drivers();
          SyncOptions deferred = buckets(1).with(Overlap.NEVER);
          try (Synchronizer synchronizer = start(communicator, deferred, 2, drivers)) {
            for (int step = 0; step < 100; step++) {
              TensorView first = tensor("tensor0", step);
              TensorView second = tensor("tensor1", 1);
              synchronizer.submit(first, 1);
              LockSupport.parkNanos(1_000_000);
              synchronizer.submit(second, 1);
              synchronizer.await();
              assertHolds(2f * step, first);
              assertHolds(2, second);
            }
            communicator.barrier();
          }
          assertTrue(drivers.hadFirstOf(2, Thread.currentThread()), "the first came too early");
          return null;
        });
  }

  /** A program that waits for a sum by its completion is not kept waiting for its step's end. */
  @Test
  void whatIsAwaitedInTheMiddleOfAStepIsNotDeferred() throws Exception {
    RequestGraph.Builder builder = new RequestGraph.Builder();
    Signature sum = Signature.sum(DType.FLOAT32, Shape.of(LENGTH));
    builder.request("gradient", sum);
    int middle = builder.request("statistic", sum);
    builder.edge(middle, builder.request("later", sum));
    RequestGraph graph = builder.build();
    Ranks.run(
        2,
        Duration.ofSeconds(20), // Each step would take a second.
        communicator -> {
          SyncOptions deferred = buckets(1).with(Overlap.NEVER);
          try (Synchronizer synchronizer =
              Synchronizer.over(communicator, deferred).planning(graph).start()) {
            for (int step = 0; step < 60; step++) {
              TensorView gradient = tensor("gradient", step);
              TensorView statistic = tensor("statistic", 1);
              TensorView later = tensor("later", 2);
              CountDownLatch done = new CountDownLatch(1);
              synchronizer.submit(gradient, 1);
              synchronizer.request(Request.sum(statistic, outcome -> done.countDown()));
              done.await();
              assertHolds(2, statistic);
              synchronizer.submit(later, 1);
              synchronizer.await();
              assertHolds(2f * step, gradient);
              assertHolds(4, later);
            }
            communicator.barrier();
          }
          return null;
        });
  }

  @Test
  void transfersAreDeferredWhereTheyWouldTakeTheProgramsProcessor() {
    Overlap usual = SyncOptions.of("buckets").overlap();
    assertTrue(usual.defers(2, 2, 2));
    assertTrue(usual.defers(2, 2, 3));
    assertFalse(usual.defers(2, 2, 4));
    assertFalse(usual.defers(4, 2, 2), "on several hosts the network works, too");
    assertFalse(SyncOptions.of("buckets+overlapped").overlap().defers(2, 2, 2));
    assertTrue(SyncOptions.of("topo+deferred").overlap().defers(2, 2, 64));
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
  void completionsAreToldByTheThreadThatDrives() throws Exception {
    Ranks.run(
        2,
        LIMIT,
        communicator -> {
          Set<Thread> tellers = ConcurrentHashMap.newKeySet();
          Drivers drivers = new Drivers();
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
          assertEquals(drivers.threads, tellers);
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
  void aLostRankEndsTheWaitOfWhoDrives(boolean boards) throws Exception {
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
  void closingEndsTheWaitOfWhoDrives() throws Exception {
    CountDownLatch waits = new CountDownLatch(1);
    Ranks.run(
        2,
        LIMIT,
        communicator -> {
          Drivers drivers = new Drivers();
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
