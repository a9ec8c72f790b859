package dev.tandem.servers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.Level;
import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random layouts, proxies, staleness, delays and drains: nothing hangs, and every gradient is
 * applied once, by a drain at the latest.
 */
class RandomServersTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Level[] LEVELS = {Level.NODE, Level.SWITCH, Level.RACK, Level.MACHINE};

  /** One job; all of it depends on the seed. */
  private record Job(Seed seed, ServerLayout layout, int staleness, int elements, int steps) {

    static Job of(Seed seed) {
      SplittableRandom random = seed.random();
      int ranks = 1 + random.nextInt(7);
      List<Integer> everyone = IntStream.range(0, ranks).boxed().toList();
      List<Level> proxies = Arrays.stream(LEVELS).filter(level -> random.nextInt(3) == 0).toList();
      ServerLayout layout =
          ServerLayout.beside(Layouts.places(ranks, 1 + random.nextInt(3)))
              .withWorkers(some(everyone, random))
              .withServers(some(everyone, random))
              .withProxies(proxies);
      int elements = random.nextInt(200);
      return new Job(seed, layout, random.nextInt(4), elements, 1 + random.nextInt(20));
    }

    private static List<Integer> some(List<Integer> ranks, SplittableRandom random) {
      List<Integer> chosen =
          new ArrayList<>(ranks.stream().filter(rank -> random.nextInt(3) > 0).toList());
      return chosen.isEmpty() ? ranks : chosen;
    }

    private void run() throws Exception {
      Ranks.run(layout.places().ranks(), LIMIT, this::rank);
    }

    private Void rank(Communicator communicator) {
      MomentumRule descent =
          new MomentumRule(0, 0, false, List.of(new MomentumRule.Span(0, elements, false)));
      MemorySegment zeros = MemorySegment.ofArray(new float[elements]);
      try (ParameterServers servers =
          ParameterServers.start(
              communicator,
              new ServerSettings(layout, staleness, descent, false),
              zeros,
              List.of(zeros))) {
        int worker = layout.workers().indexOf(communicator.rank());
        if (worker < 0) {
          servers.serve();
        } else {
          work(servers, worker);
        }
      }
      return null;
    }

    private void work(ParameterServers servers, int worker) {
      SplittableRandom delays = seed.derive("delays").derive(worker).random();
      SplittableRandom drains = seed.derive("drains").random(); // the same on all workers
      MemorySegment parameters = MemorySegment.ofArray(new float[elements]);
      float[] gradient = new float[elements];
      for (int step = 1; step <= steps; step++) {
        Arrays.fill(gradient, (worker + 1) * step);
        servers.push(MemorySegment.ofArray(gradient), 1);
        if (drains.nextInt(6) == 0) {
          servers.drain(parameters, List.of());
          check(parameters, step);
        } else {
          servers.pull(parameters);
        }
        LockSupport.parkNanos(delays.nextLong(100_000) * delays.nextInt(2));
      }
      servers.drain(parameters, List.of());
      check(parameters, steps);
      assertTrue(servers.meanLag() <= staleness, toString());
      servers.finish();
    }

    /** Whole numbers, so every order of additions gives the same. */
    private void check(MemorySegment parameters, int step) {
      int workers = layout.workers().size();
      float[] expected = new float[elements];
      Arrays.fill(expected, -workers * (workers + 1) / 2f * step * (step + 1) / 2);
      assertArrayEquals(expected, parameters.toArray(ValueLayout.JAVA_FLOAT), toString());
    }
  }

  private static void jobs(int count) throws Exception {
    Seed seed = TestSeed.of(RandomServersTest.class);
    for (int number = 0; number < count; number++) {
      Job job = Job.of(seed.derive(number));
      try {
        job.run();
      } catch (Exception | AssertionError e) {
        throw new AssertionError("job %d: %s".formatted(number, job), e);
      }
    }
  }

  @Test
  void someJobs() throws Exception {
    jobs(40);
  }

  @Test
  @Tag("slow")
  void manyJobs() throws Exception {
    jobs(1_000);
  }
}
