package dev.tandem.sync;

import dev.tandem.core.Seed;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.testkit.TestSeed;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random jobs under every policy: every result is right, and nothing hangs. */
class RandomJobsTest {

  private static final int JOBS = 6;
  private static final int MANY_JOBS = 1_000;

  static List<String> codes() {
    return SyncOptions.codes();
  }

  @ParameterizedTest
  @MethodSource("codes")
  void jobs(String code) throws Exception {
    run(code, JOBS);
  }

  @ParameterizedTest
  @MethodSource("codes")
  @Tag("slow")
  void manyJobs(String code) throws Exception {
    run(code, MANY_JOBS);
  }

  private static void run(String code, int jobs) throws Exception {
    Seed seed = TestSeed.of(RandomJobsTest.class);
    for (int i = 0; i < jobs; i++) {
      RandomJob job = new RandomJob(seed.derive(i), Policies.mostRanks(code));
      Ranks.run(
          job.ranks(),
          Duration.ofMinutes(1),
          communicator -> job.run(communicator, Policies.hasty(code)));
    }
  }
}
