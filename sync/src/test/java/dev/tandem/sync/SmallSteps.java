package dev.tandem.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.transport.ThreadsTransport;
import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.sync.agent.SyncObserver;
import dev.tandem.sync.agent.Transfer;
import dev.tandem.sync.plan.RequestGraph;
import dev.tandem.sync.policy.Policy;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.sync.request.Signature;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** Steps of a few small gradients, and who transferred them. */
final class SmallSteps {

  static final int LENGTH = 700;
  static final int GRADIENTS = 6;

  private SmallSteps() {}

  /** Threads in which transfers of a rank ended. */
  static final class Drivers implements SyncObserver {

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

    Set<Thread> all() {
      return Set.copyOf(threads);
    }

    boolean had(Thread thread) {
      return threads.contains(thread);
    }

    boolean hadAnother(Thread thread) {
      return threads.stream().anyMatch(driver -> !driver.equals(thread));
    }
  }

  static TensorView tensor(String name, float value) {
    float[] values = new float[LENGTH];
    Arrays.fill(values, value);
    return new TensorView(name, DType.FLOAT32, Shape.of(LENGTH), MemorySegment.ofArray(values));
  }

  static void assertHolds(float expected, TensorView tensor) {
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

  /** So many gradients to a bucket, so that some are complete long before a step ends. */
  static SyncOptions buckets(int gradients) {
    Policy.Bucketed usual = Policy.bucketed();
    long bytes = (long) gradients * LENGTH * Float.BYTES;
    return SyncOptions.of(new Policy.Bucketed(bytes, bytes, usual.leaving()));
  }

  static Synchronizer start(
      Communicator communicator, SyncOptions options, int requests, SyncObserver observer) {
    return Synchronizer.over(communicator, options)
        .planning(graph(requests))
        .observedBy(observer)
        .start();
  }

  /** One step of a rank: everything in some order, and then waits. */
  static void step(Synchronizer synchronizer, int ranks, SplittableRandom random) {
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
  static void pause(SplittableRandom random) {
    int kind = random.nextInt(20);
    if (kind == 0) {
      LockSupport.parkNanos(random.nextLong(1_500_000));
    } else if (kind < 5) {
      LockSupport.parkNanos(random.nextLong(100_000));
    }
  }

  static List<Communicator> ranks(int size, boolean boards) {
    return ThreadsTransport.create(size, boards).stream().map(Communicator::over).toList();
  }
}
