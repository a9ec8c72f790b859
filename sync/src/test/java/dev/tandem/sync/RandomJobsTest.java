package dev.tandem.sync;

import dev.tandem.core.Seed;
import dev.tandem.sync.compress.Compression;
import dev.tandem.sync.compress.CompressionRule;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.sync.request.GradientRule;
import dev.tandem.sync.request.Operation;
import dev.tandem.testkit.TestSeed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random jobs under every policy: every result is right, and nothing hangs. The thousand jobs can
 * be run in pieces: {@code -Dtandem.jobs=500 -Dtandem.first-job=500 -Dtandem.policies=gs,topo}.
 */
class RandomJobsTest {

  private static final int JOBS = 4;
  private static final int MANY_JOBS = Integer.getInteger("tandem.jobs", 1_000);
  private static final int FIRST_JOB = Integer.getInteger("tandem.first-job", 0);
  private static final List<String> VARIANTS = List.of("topo+pool", "baseline-parked+pool");
  private static final int TREATED_JOBS = 3;
  private static final int MANY_TREATED_JOBS = 200;

  static List<String> codes() {
    String chosen = System.getProperty("tandem.policies", "");
    if (!chosen.isEmpty()) {
      return List.of(chosen.split(",", -1));
    }
    List<String> codes = new ArrayList<>(SyncOptions.codes());
    codes.addAll(VARIANTS);
    return codes;
  }

  @ParameterizedTest
  @MethodSource("codes")
  void jobs(String code) throws Exception {
    run(code, GradientRule.SUM, 0, JOBS);
  }

  @ParameterizedTest
  @MethodSource("codes")
  @Tag("slow")
  void manyJobs(String code) throws Exception {
    run(code, GradientRule.SUM, FIRST_JOB, MANY_JOBS);
  }

  static List<Arguments> treatments() {
    return treatments("topo");
  }

  static List<Arguments> allTreatments() {
    return treatments("baseline-parked", "topo", "buckets");
  }

  private static List<Arguments> treatments(String... codes) {
    List<Arguments> treatments = new ArrayList<>();
    for (String code : codes) {
      for (String compression : List.of("bfloat16", "float16", "top-k:0.05", "one-bit")) {
        treatments.add(Arguments.of(code, Named.of(compression, compressed(compression))));
      }
      GradientRule adasum = new GradientRule(Operation.ADASUM, CompressionRule.NONE);
      treatments.add(Arguments.of(code, Named.of("adasum", adasum)));
    }
    return treatments;
  }

  /** Small tensors as they are, one in another way than the others. */
  private static GradientRule compressed(String code) {
    return new GradientRule(
        Operation.SUM,
        new CompressionRule(
            List.of(CompressionRule.Clause.of("gradient3=top-k:0.2")), Compression.of(code), 500));
  }

  @ParameterizedTest
  @MethodSource("treatments")
  void treatedJobs(String code, GradientRule rule) throws Exception {
    run(code, rule, 0, TREATED_JOBS);
  }

  @ParameterizedTest
  @MethodSource("allTreatments")
  @Tag("slow")
  void manyTreatedJobs(String code, GradientRule rule) throws Exception {
    run(code, rule, 0, MANY_TREATED_JOBS);
  }

  private static void run(String code, GradientRule rule, int first, int jobs) throws Exception {
    Seed seed = TestSeed.of(RandomJobsTest.class);
    for (int i = first; i < first + jobs; i++) {
      RandomJob job = new RandomJob(seed.derive(i), Policies.mostRanks(code), rule);
      Ranks.run(
          job.ranks(),
          Duration.ofMinutes(1),
          communicator -> job.run(communicator, Policies.hasty(code)));
    }
  }
}
