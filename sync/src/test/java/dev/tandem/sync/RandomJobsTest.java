package dev.tandem.sync;

import dev.tandem.core.Seed;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.testkit.TestSeed;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random jobs under every policy: every result is right, and nothing hangs. The thousand jobs can
 * be run in pieces: {@code -Dtandem.jobs=500 -Dtandem.first-job=500 -Dtandem.policies=gs,topo}.
 */
class RandomJobsTest {

  private static final int JOBS = 6;
  private static final int MANY_JOBS = Integer.getInteger("tandem.jobs", 1_000);
  private static final int FIRST_JOB = Integer.getInteger("tandem.first-job", 0);

  static List<String> codes() {
    String chosen = System.getProperty("tandem.policies", "");
    return chosen.isEmpty() ? SyncOptions.codes() : List.of(chosen.split(",", -1));
  }

  @ParameterizedTest
  @MethodSource("codes")
  void jobs(String code) throws Exception {
    run(code, 0, JOBS);
  }

  @ParameterizedTest
  @MethodSource("codes")
  @Tag("slow")
  void manyJobs(String code) throws Exception {
    run(code, FIRST_JOB, MANY_JOBS);
  }

  private static void run(String code, int first, int jobs) throws Exception {
    Seed seed = TestSeed.of(RandomJobsTest.class);
    for (int i = first; i < first + jobs; i++) {
      RandomJob job = new RandomJob(seed.derive(i), Policies.mostRanks(code));
      Ranks.run(
          job.ranks(),
          Duration.ofMinutes(1),
          communicator -> job.run(communicator, Policies.hasty(code)));
    }
  }
}
