package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Training with rows of parameters, gradients and optimizer state; the ranks are threads. */
class ShardedTrainingTest {

  private static final String NONE = "none";

  @TempDir Path folder;

  private final RecordSource training = GlyphRecords.draw(new Seed(1), 333);
  private final RecordSource test = GlyphRecords.draw(new Seed(2), 101);

  private static TrainingConfig config(String shard, String... settings) {
    List<String> all = new ArrayList<>(List.of("strategy.shard=" + shard, "epochs=1"));
    all.addAll(List.of(settings));
    return TestConfigs.normalised(all.toArray(String[]::new));
  }

  private TrainingEvent.Result train(TrainingConfig config, int ranks, String name, boolean resume)
      throws Exception {
    List<TrainingEvent.Result> results =
        new ThreadRanks(training, test, folder).train(config, ranks, name, resume);
    results.forEach(result -> assertTrue(result.replicasIdentical()));
    return results.getFirst();
  }

  /** 333 samples in steps of 83: the last has 1, and 2 of 3 ranks have none. */
  @Test
  void stagesHaveTheBitsOfDataParallelTraining() throws Exception {
    String[] settings = {"batch.global=83", "guard.clip=0"};
    TrainingEvent.Result expected = train(config(NONE, settings), 3, NONE, false);
    for (String shard : List.of("optimizer", "gradients", "parameters")) {
      TrainingEvent.Result result = train(config(shard, settings), 3, shard, false);
      assertEquals(expected.digest(), result.digest(), shard);
      assertEquals(expected.accuracy(), result.accuracy(), shard);
      assertEquals(expected.testLoss(), result.testLoss(), shard);
    }
  }

  /** Norms are over all rows, and a step of several passes is summed pass by pass. */
  @ParameterizedTest
  @Tag("slow")
  @ValueSource(strings = {"sgd", "lars", "lamb"})
  void normsAndPassesStayNearDataParallelTraining(String optimizer) throws Exception {
    String[] settings = {
      "guard.clip=0.1", "optimizer={kind: " + optimizer + "}", "batch.accumulation=2"
    };
    ThreadRanks expected = new ThreadRanks(training, test, folder);
    expected.train(config(NONE, settings), 2, "whole", false);
    for (String shard : List.of("optimizer", "gradients", "parameters")) {
      ThreadRanks actual = new ThreadRanks(training, test, folder);
      actual.train(config(shard, settings), 2, shard, false);
      assertNear(expected.parameters, actual.parameters, shard);
    }
  }

  /** Rank 0 has all rows of each parameter, or the first ones. */
  private static void assertNear(List<float[]> expected, List<float[]> actual, String shard) {
    for (int i = 0; i < expected.size(); i++) {
      double largest = 0;
      double difference = 0;
      for (int j = 0; j < actual.get(i).length; j++) {
        largest = Math.max(largest, Math.abs(expected.get(i)[j]));
        difference = Math.max(difference, Math.abs(expected.get(i)[j] - actual.get(i)[j]));
      }
      assertTrue(
          difference <= 1e-3 * Math.max(largest, 1e-2),
          "%s, parameter %d: %s, %s"
              .formatted(shard, i, difference, Arrays.toString(actual.get(i))));
    }
  }

  /** The parts of layers that a rank has are divided further. */
  @ParameterizedTest
  @Tag("slow")
  @ValueSource(strings = {"filter", "channel", "spatial", "pipeline"})
  void partsOfLayersAreDivided(String inner) throws Exception {
    String mesh = "strategy.mesh='data=2," + inner + "=2'";
    // The last step has 1 sample, and the ranks of one half of the batch have none.
    String[] settings = {
      mesh, "batch.global=83", "strategy.pipeline={micro-batches: 3, cuts: [conv2]}"
    };
    ThreadRanks expected = new ThreadRanks(training, test, folder);
    List<TrainingEvent.Result> copies = expected.train(config(NONE, settings), 4, NONE, false);
    for (String shard : List.of("optimizer", "gradients", "parameters")) {
      ThreadRanks actual = new ThreadRanks(training, test, folder);
      List<TrainingEvent.Result> results = actual.train(config(shard, settings), 4, shard, false);
      assertTrue(results.getFirst().replicasIdentical());
      assertNear(expected.parameters, actual.parameters, shard);
      assertEquals(copies.getFirst().testLoss(), results.getFirst().testLoss(), 1e-4, shard);
    }
  }

  /** One of each: a part of a layer, a norm over rows, several passes, and another stage. */
  @Test
  void aRunOfPartsContinuesUnderAnotherStage() throws Exception {
    String[] settings = {
      "guard.clip=0.1",
      "optimizer={kind: lars}",
      "batch.accumulation=2",
      "strategy.mesh='data=2,filter=2'",
      "schedule={kind: constant, rate: 0.05}"
    };
    String[] half = Arrays.copyOf(settings, settings.length + 1);
    half[settings.length] = "steps=2";
    String[] all = Arrays.copyOf(settings, settings.length + 1);
    all[settings.length] = "steps=3";
    ThreadRanks expected = new ThreadRanks(training, test, folder);
    expected.train(config(NONE, all), 4, NONE, false);
    new ThreadRanks(training, test, folder).train(config("gradients", half), 4, "run", false);
    ThreadRanks actual = new ThreadRanks(training, test, folder);
    actual.train(config("parameters", all), 4, "run", true);
    assertNear(expected.parameters, actual.parameters, "parameters");
  }

  private static TrainingConfig digits(String shard, String... settings) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "strategy.shard=" + shard,
                "guard.clip=0",
                "schedule={kind: constant, rate: 0.05}"));
    all.addAll(List.of(settings));
    return TestConfigs.digits(all.toArray(String[]::new));
  }

  /** Saved under one stage, continued under another, on as many ranks and on others. */
  @Test
  @Tag("slow")
  void aRunContinuesUnderAnotherStage() throws Exception {
    String[] all = {"steps=6"};
    String[] half = {"steps=3"};
    String expected = train(digits(NONE, all), 2, "never-stopped", false).digest();
    train(digits("parameters", half), 2, "a", false);
    assertEquals(expected, train(digits("optimizer", all), 2, "a", true).digest());
    train(digits("gradients", half), 2, "b", false);
    assertEquals(expected, train(digits("parameters", all), 2, "b", true).digest());
    train(digits("optimizer", half), 2, "c", false);
    assertEquals(expected, train(digits(NONE, all), 2, "c", true).digest());
    ThreadRanks whole = new ThreadRanks(training, test, folder);
    whole.train(digits(NONE, all), 2, "whole", false);
    train(digits("parameters", half), 3, "d", false);
    ThreadRanks more = new ThreadRanks(training, test, folder);
    more.train(digits("parameters", all), 4, "d", true);
    assertNear(whole.parameters, more.parameters, "4 ranks");
  }

  @Test
  void whatDoesNotGoTogetherIsRefused() {
    var e =
        assertThrows(
            UsageException.class, () -> config("optimizer", "determinism=elastic", "shards=4"));
    assertTrue(e.getMessage().contains("strategy.shard is optimizer, but with"), e.getMessage());
    e =
        assertThrows(
            UsageException.class, () -> config("gradients", "gradients.compression=bfloat16"));
    assertTrue(e.getMessage().contains("use none, or shard: optimizer"), e.getMessage());
  }
}
