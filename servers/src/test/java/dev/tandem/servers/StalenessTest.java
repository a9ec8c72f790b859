package dev.tandem.servers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.Level;
import dev.tandem.core.Seed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How far workers get apart, and that nothing they push is lost; ranks are threads. */
class StalenessTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int ELEMENTS = 50;

  /** Plain descent at rate 1: with whole numbers as gradients every sum is exact. */
  private static final MomentumRule DESCENT =
      new MomentumRule(0, 0, false, List.of(new MomentumRule.Span(0, ELEMENTS, false)));

  private static ServerLayout layout(int ranks, boolean proxies) {
    return proxies ? Layouts.beside(ranks, 2, Level.NODE) : Layouts.beside(ranks, 2);
  }

  private static ParameterServers start(
      Communicator communicator, ServerLayout layout, int staleness) {
    MemorySegment zeros = MemorySegment.ofArray(new float[ELEMENTS]);
    return ParameterServers.start(
        communicator, new ServerSettings(layout, staleness, DESCENT, false), zeros, List.of(zeros));
  }

  private static MemorySegment memory() {
    return Arena.ofAuto().allocate(ELEMENTS * Float.BYTES, 64);
  }

  @ParameterizedTest
  @CsvSource({"2,1,false", "4,0,false", "4,2,false", "4,2,true", "5,1,true", "5,8,true"})
  void nobodyGoesOnTooFarAheadAndEveryGradientCountsOnce(int ranks, int staleness, boolean proxies)
      throws Exception {
    int steps = 40;
    AtomicLongArray begun = new AtomicLongArray(ranks); // gradients that a worker began to push
    Seed seed = new Seed(staleness);
    List<float[]> results =
        Ranks.run(
            ranks,
            LIMIT,
            communicator -> {
              int rank = communicator.rank();
              SplittableRandom jitter = seed.derive(rank).random();
              MemorySegment parameters = memory();
              MemorySegment gradient = memory();
              try (ParameterServers servers =
                  start(communicator, layout(ranks, proxies), staleness)) {
                for (int step = 1; step <= steps; step++) {
                  for (int i = 0; i < ELEMENTS; i++) {
                    gradient.setAtIndex(ValueLayout.JAVA_FLOAT, i, rank + step * i);
                  }
                  begun.set(rank, step);
                  servers.update(gradient, 1, parameters);
                  for (int other = 0; other < ranks; other++) {
                    assertTrue(begun.get(other) >= step - staleness, seed + " step " + step);
                  }
                  // Some are slower than others.
                  LockSupport.parkNanos(jitter.nextLong(200_000) * (rank == 1 ? 4 : 1));
                }
                servers.drain(parameters, List.of(gradient));
                assertEquals(steps, servers.clock());
                assertTrue(servers.meanLag() <= staleness, seed + ": " + servers.meanLag());
                servers.finish();
                return parameters.toArray(ValueLayout.JAVA_FLOAT);
              }
            });
    float[] expected = new float[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++) {
      float ofRanks = ranks * (ranks - 1) / 2f * steps;
      expected[i] = -(ofRanks + (float) ranks * i * steps * (steps + 1) / 2);
    }
    for (float[] actual : results) {
      assertArrayEquals(expected, actual, seed.toString());
    }
  }

  /**
   * Where all workers of a proxy have pushed, none gets older parameters because the proxy is still
   * busy; see {@code Note [staleness is for late workers]}. Rank 1 asks when rank 0, where the
   * proxy is, has pushed, and rank 0 goes on only when rank 1 has its answer: it must have
   * everything.
   */
  @Test
  void withoutLateWorkersNothingIsStaleBehindAProxy() throws Exception {
    int steps = 100;
    List<float[]> seen =
        Ranks.run(
            2,
            LIMIT,
            communicator -> {
              MemorySegment parameters = memory();
              MemorySegment ones = memory();
              for (int i = 0; i < ELEMENTS; i++) {
                ones.setAtIndex(ValueLayout.JAVA_FLOAT, i, 1);
              }
              float[] values = new float[steps];
              try (ParameterServers servers = start(communicator, layout(2, true), 8)) {
                for (int step = 0; step < steps; step++) {
                  servers.push(ones, 1);
                  communicator.barrier();
                  servers.pull(parameters);
                  communicator.barrier();
                  values[step] = parameters.getAtIndex(ValueLayout.JAVA_FLOAT, 0);
                }
                servers.finish();
              }
              return values;
            });
    float[] everything = new float[steps];
    for (int step = 0; step < steps; step++) {
      everything[step] = -2 * (step + 1);
    }
    assertArrayEquals(everything, seen.get(1));
  }

  /** A worker that stands still is left behind by exactly the staleness. */
  @ParameterizedTest
  @CsvSource({"1,false", "3,false", "3,true"})
  void aFastWorkerGetsAheadByTheStaleness(int staleness, boolean proxies) throws Exception {
    CountDownLatch ahead = new CountDownLatch(1);
    AtomicBoolean moved = new AtomicBoolean();
    Ranks.run(
        2,
        LIMIT,
        communicator -> {
          MemorySegment memory = memory();
          try (ParameterServers servers = start(communicator, layout(2, proxies), staleness)) {
            int steps = staleness + 1;
            if (communicator.rank() == 0) {
              ahead.await();
              moved.set(true);
            }
            for (int step = 1; step <= steps; step++) {
              servers.update(memory, 1, memory);
              if (communicator.rank() == 1 && step == staleness) {
                ahead.countDown();
              }
              assertTrue(step <= staleness || moved.get());
            }
            servers.finish();
            return null;
          }
        });
  }

  /** One worker asks for an end, or has trouble: all stop after the same step, soon. */
  @ParameterizedTest
  @CsvSource({"0,false", "2,false", "2,true", "0,true"})
  void allStopAfterTheSameStep(int staleness, boolean proxies) throws Exception {
    int ranks = 4;
    int told = 7;
    List<Long> clocks =
        Ranks.run(
            ranks,
            LIMIT,
            communicator -> {
              MemorySegment memory = memory();
              try (ParameterServers servers =
                  start(communicator, layout(ranks, proxies), staleness)) {
                do {
                  if (communicator.rank() == 2 && servers.clock() == told) {
                    servers.tell(Notice.TROUBLE);
                  }
                  servers.update(memory, 1, memory);
                } while (!servers.stopsHere());
                servers.drain(memory, List.of());
                assertTrue(servers.told(Notice.TROUBLE));
                assertTrue(!servers.told(Notice.STOP));
                servers.finish();
                return servers.clock();
              }
            });
    clocks.forEach(clock -> assertEquals(clocks.getFirst(), clock));
    assertTrue(clocks.getFirst() > told && clocks.getFirst() <= told + 1 + staleness, "" + clocks);
  }

  /** What a drain gives is the whole state: a run that goes on from it has the same bits. */
  @Test
  void aRunGoesOnFromADrain() throws Exception {
    int elements = 500;
    Ranks.run(
        4,
        LIMIT,
        communicator -> {
          float[] whole = train(communicator, new TestModel(elements), 0, 9);
          TestModel again = new TestModel(elements);
          train(communicator, again, 0, 4);
          assertArrayEquals(whole, train(communicator, again, 4, 9));
          return null;
        });
  }

  private static float[] train(Communicator communicator, TestModel model, int from, int end) {
    ServerSettings settings =
        new ServerSettings(layout(4, true), 0, TestModel.rule(model.elements));
    try (ParameterServers servers =
        ParameterServers.start(communicator, settings, model.parameters, model.slots())) {
      for (int step = from; step < end; step++) {
        servers.update(model.gradient(communicator.rank(), step), 0.1, model.parameters);
      }
      model.parameters.fill((byte) 0);
      model.velocity.fill((byte) 0);
      servers.drain(model.parameters, model.slots());
      servers.finish();
      return model.values();
    }
  }
}
