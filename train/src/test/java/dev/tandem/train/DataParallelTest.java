package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What data-parallel training equals, by level of determinism; the ranks are threads. */
class DataParallelTest {

  @TempDir Path folder;

  private final RecordSource training = GlyphRecords.draw(new Seed(1), 333);
  private final RecordSource test = GlyphRecords.draw(new Seed(2), 101);

  private TrainingEvent.Result train(TrainingConfig config, int ranks) throws Exception {
    ThreadRanks threads = new ThreadRanks(training, test, folder);
    List<TrainingEvent.Result> results = threads.train(config, ranks, "of-" + ranks, false);
    results.forEach(result -> assertTrue(result.replicasIdentical()));
    return results.getFirst();
  }

  /** 333 samples in steps of 64: the last has 13, which 8 shards share unevenly. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void elasticRanksEqualSerialAccumulationBitwise(boolean synchronised) throws Exception {
    TrainingConfig config =
        TestConfigs.normalised(
            "determinism=elastic", "shards=8", "synchronised-batch-norm=" + synchronised);
    String serial = new SerialAccumulation(config).digest(training);
    TrainingEvent.Result alone = train(config, 1);
    assertEquals(serial, alone.digest());
    for (int ranks = 2; ranks <= 3; ranks++) {
      TrainingEvent.Result result = train(config, ranks);
      assertEquals(serial, result.digest(), ranks + " ranks");
      assertEquals(alone.accuracy(), result.accuracy());
      assertEquals(alone.testLoss(), result.testLoss());
    }
  }

  /** The last step has fewer samples than shards, and some ranks have none. */
  @Test
  void emptyShardsChangeNothing() throws Exception {
    TrainingConfig config =
        TestConfigs.normalised("determinism=elastic", "shards=6", "batch.global=11", "epochs=1");
    String serial = new SerialAccumulation(config).digest(training); // 333 = 30 * 11 + 3
    assertEquals(serial, train(config, 4).digest());
  }

  @Test
  void mixturesAndAugmentationsAreTheSameOnAnyNumberOfRanks() throws Exception {
    String[] settings = {
      "determinism=elastic",
      "shards=6",
      "batch.global=32",
      "epochs=1",
      "data.mixup=0.4",
      "data.augment='rotate=10,jitter=0.2,cutout=6'"
    };
    TrainingConfig config = TestConfigs.normalised(settings);
    String alone = train(config, 1).digest();
    assertEquals(alone, train(config, 2).digest());
    assertEquals(alone, train(config, 4).digest());
    settings[4] = "data.mixup=0";
    assertNotEquals(alone, train(TestConfigs.normalised(settings), 1).digest());
  }

  @Test
  void synchronisedStatisticsNeedASampleInEveryShard() {
    TrainingConfig config =
        TestConfigs.normalised(
            "determinism=elastic", "shards=6", "batch.global=11", "synchronised-batch-norm=true");
    var e = assertThrows(UsageException.class, () -> train(config, 2));
    assertTrue(
        e.getMessage().startsWith("the smallest step has 3 samples, but with"), e.getMessage());
  }

  @Test
  void moreRanksThanShardsAreRefused() {
    TrainingConfig config = TestConfigs.digits("determinism=elastic", "shards=2");
    var e = assertThrows(UsageException.class, () -> train(config, 3));
    assertEquals(
        "3 ranks cannot share 2 shards: raise shards, or use determinism: run", e.getMessage());
  }

  /** Relative to the largest value of each parameter, after 20 steps. */
  @Test
  void ranksAtLevelRunStayNearOneRank() throws Exception {
    TrainingConfig config = TestConfigs.digits("steps=20", "epochs=4");
    TrainingConfig synchronised =
        TestConfigs.normalised(
            "steps=20", "epochs=4", "synchronised-batch-norm=true", "data.epoch-end=circular");
    for (TrainingConfig each : List.of(config, synchronised)) {
      ThreadRanks one = new ThreadRanks(training, test, folder);
      one.train(each, 1, "one" + each.hashCode(), false);
      List<String> digests = new ArrayList<>();
      for (int ranks = 2; ranks <= 3; ranks++) {
        ThreadRanks several = new ThreadRanks(training, test, folder);
        digests.add(
            several.train(each, ranks, ranks + "-" + each.hashCode(), false).getFirst().digest());
        double distance = distance(one.parameters, several.parameters);
        assertTrue(distance < 1e-3, ranks + " ranks: " + distance);
      }
      assertNotEquals(digests.getFirst(), digests.getLast());
    }
  }

  /** In the plan of topo, or past gradients in a group of their own. */
  @Test
  void synchronisedStatisticsHaveTheSameBitsUnderEveryPolicy() throws Exception {
    List<String> digests = new ArrayList<>();
    for (String policy : List.of("buckets", "topo", "nbcs")) {
      TrainingConfig config =
          TestConfigs.normalised(
              "steps=6",
              "batch.global=32",
              "batch.accumulation=2",
              "synchronised-batch-norm=true",
              "data.epoch-end=circular",
              "synchronisation=" + policy);
      digests.add(train(config, 2).digest());
    }
    assertEquals(1, digests.stream().distinct().count(), digests.toString());
  }

  @Test
  void accumulationStaysNearOnePass() throws Exception {
    ThreadRanks once = new ThreadRanks(training, test, folder);
    once.train(TestConfigs.digits("steps=20", "epochs=4"), 2, "once", false);
    ThreadRanks often = new ThreadRanks(training, test, folder);
    often.train(
        TestConfigs.digits("steps=20", "epochs=4", "batch.accumulation=3"), 2, "often", false);
    double distance = distance(once.parameters, often.parameters);
    assertTrue(distance < 1e-3, "accumulation: " + distance);
  }

  private static double distance(List<float[]> expected, List<float[]> actual) {
    assertEquals(expected.size(), actual.size());
    double worst = 0;
    for (int i = 0; i < expected.size(); i++) {
      double largest = 0;
      double difference = 0;
      for (int j = 0; j < expected.get(i).length; j++) {
        largest = Math.max(largest, Math.abs(expected.get(i)[j]));
        difference = Math.max(difference, Math.abs(expected.get(i)[j] - actual.get(i)[j]));
      }
      worst = Math.max(worst, difference / largest);
    }
    return worst;
  }
}
