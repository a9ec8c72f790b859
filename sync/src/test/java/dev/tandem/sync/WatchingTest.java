package dev.tandem.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.sync.trace.StepMeter;
import dev.tandem.sync.trace.StragglerReport;
import dev.tandem.sync.trace.StragglerReport.Cause;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What people are told about ranks that do not keep up. */
class WatchingTest {

  private static final Duration LIMIT = Duration.ofMinutes(1);

  private static TensorView tensor(String name) {
    return new TensorView(name, DType.FLOAT32, Shape.of(1), MemorySegment.ofArray(new float[1]));
  }

  @ParameterizedTest
  @ValueSource(strings = {"baseline-parked", "topo"})
  void aStallNamesTheTensorTheRankAndWhatItDoes(String code) throws Exception {
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    CountDownLatch told = new CountDownLatch(1);
    Ranks.run(
        3,
        LIMIT,
        communicator -> {
          SyncOptions options =
              SyncOptions.of(code).withStalls(Duration.ofMillis(150), Optional.empty());
          try (Synchronizer synchronizer =
              Synchronizer.over(communicator, options).reporting(lines::add).start()) {
            synchronizer.submit(tensor("first"), 1);
            synchronizer.await();
            if (communicator.rank() == 1) {
              dawdle(told);
            }
            synchronizer.submit(tensor("second"), 1);
            if (communicator.rank() == 0) {
              String line = lines.take();
              assertTrue(line.startsWith("tensor second has waited for "), line);
              assertTrue(line.contains(": rank 1 has not asked for it and "), line);
              told.countDown();
            }
            synchronizer.await();
            communicator.barrier();
          }
          return null;
        });
  }

  private static void dawdle(CountDownLatch until) throws InterruptedException {
    until.await();
  }

  @Test
  void aStallCanEndTheJob() throws Exception {
    Ranks.run(
        2,
        LIMIT,
        communicator -> {
          SyncOptions options =
              SyncOptions.of("baseline-parked")
                  .withStalls(Duration.ofMillis(100), Optional.of(Duration.ofMillis(150)));
          try (Synchronizer synchronizer =
              Synchronizer.over(communicator, options).reporting(line -> {}).start()) {
            if (communicator.rank() == 0) {
              synchronizer.submit(tensor("lonely"), 1);
              String message =
                  assertThrows(WorkFailedException.class, synchronizer::await).getMessage();
              assertTrue(message.startsWith("tensor lonely has waited for"), message);
            }
            communicator.barrier();
          }
          return null;
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"INPUT", "COMPUTE"})
  void aSlowedRankIsFoundWithItsCause(Cause cause) throws Exception {
    List<StragglerReport.Finding> findings =
        Ranks.run(
            3,
            LIMIT,
            communicator -> {
              StepMeter meter = new StepMeter("input-");
              try (Synchronizer synchronizer =
                  Synchronizer.over(communicator, SyncOptions.of("topo"))
                      .observedBy(meter)
                      .start()) {
                for (int step = 0; step < 12; step++) {
                  boolean late = communicator.rank() == 2;
                  long began = System.nanoTime();
                  pause(late && cause == Cause.INPUT ? 30 : 2);
                  long read = System.nanoTime();
                  pause(late && cause == Cause.COMPUTE ? 30 : 2);
                  synchronizer.submit(tensor("gradient"), 1);
                  long computed = System.nanoTime();
                  synchronizer.await();
                  meter.step(read - began, computed - read);
                }
                communicator.barrier();
              }
              return StragglerReport.collect(communicator, meter).finding();
            });
    for (StragglerReport.Finding finding : findings) {
      assertEquals(cause, finding.cause(), finding.sentence());
      assertEquals(2, finding.rank(), finding.sentence());
    }
  }

  /** Stands for work that takes this long. */
  private static void pause(long millis) {
    long end = System.nanoTime() + millis * 1_000_000;
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }
}
