package dev.tandem.sync;

import static dev.tandem.sync.SmallSteps.LENGTH;
import static dev.tandem.sync.SmallSteps.assertHolds;
import static dev.tandem.sync.SmallSteps.buckets;
import static dev.tandem.sync.SmallSteps.start;
import static dev.tandem.sync.SmallSteps.tensor;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.sync.plan.RequestGraph;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.sync.request.Request;
import dev.tandem.sync.request.Signature;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Transfers that are left to the thread that waits for them, and those that are not. */
class DeferredTransfersTest {

  private static final Duration LIMIT = Duration.ofMinutes(1);

  /** Though the first bucket is complete long before the step ends. */
  @Test
  void deferredTransfersAreDoneByTheThreadThatWaits() throws Exception {
    int ranks = Math.max(2, Runtime.getRuntime().availableProcessors() / 2 + 1);
    Ranks.run(
        ranks,
        LIMIT,
        communicator -> {
          SmallSteps.Drivers drivers = new SmallSteps.Drivers();
          SyncOptions deferred = buckets(1);
          try (Synchronizer synchronizer = start(communicator, deferred, 2, drivers)) {
            for (int step = 0; step < 50; step++) {
              TensorView first = tensor("tensor0", step);
              TensorView second = tensor("tensor1", 1);
              synchronizer.submit(first, 1);
              LockSupport.parkNanos(1_000_000);
              synchronizer.submit(second, 1);
              synchronizer.await();
              assertHolds((float) ranks * step, first);
              assertHolds(ranks, second);
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
          SyncOptions deferred = buckets(1);
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
    assertTrue(Synchronizer.defers(2, 2, 2));
    assertTrue(Synchronizer.defers(2, 2, 3));
    assertFalse(Synchronizer.defers(2, 2, 4));
    assertFalse(Synchronizer.defers(4, 2, 2), "on several hosts the network works, too");
  }
}
