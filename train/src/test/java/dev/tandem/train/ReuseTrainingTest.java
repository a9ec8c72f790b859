package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples of data reuse, with drawn digits; the ranks are threads. */
class ReuseTrainingTest {

  /** The same whatever the number of steps. */
  private static final String RATE = "schedule={kind: constant, rate: 0.02, for-batch: 16}";

  @TempDir Path folder;

  private final RecordSource training = GlyphRecords.draw(new Seed(1), 500);
  private final RecordSource test = GlyphRecords.draw(new Seed(2), 50);

  private static TrainingConfig example(String name, String... settings) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "data.train=unused",
                "data.test=unused",
                "data.normalise={mean: 0.158, deviation: 0.211}",
                "batch.global=16"));
    all.addAll(List.of(settings));
    return ConfigFile.read(Path.of("../examples/glyphs-%s.yaml".formatted(name)))
        .with(all)
        .config();
  }

  private ThreadRanks ranks() {
    return new ThreadRanks(training, test, folder);
  }

  private static List<TrainingEvent.Step> steps(ThreadRanks ranks) {
    return ranks.events.stream()
        .filter(TrainingEvent.Step.class::isInstance)
        .map(TrainingEvent.Step.class::cast)
        .toList();
  }

  /** 500 samples in steps of 16 are 7 rounds of 4 steps and one of 3 and 4 samples. */
  @Test
  void everySampleThatIsReadIsServedOnceAndOncePerPass() throws Exception {
    ThreadRanks ranks = ranks();
    TrainingEvent.Result result =
        ranks.train(example("reuse", "epochs=1"), 2, "run", false).getFirst();
    assertTrue(result.replicasIdentical());
    assertEquals(3 * 32, result.steps());
    assertEquals(1_500, steps(ranks).getLast().images());
    assertEquals(1_500, steps(ranks).getLast().totalImages());
    assertEquals(1, ranks.events.stream().filter(TrainingEvent.Epoch.class::isInstance).count());
  }

  @Test
  void aSawToothBatchDoublesWithEachPassAndTheRateFollowsIt() throws Exception {
    ThreadRanks ranks = ranks();
    TrainingConfig config = example("saw-tooth", "steps=16", RATE);
    assertTrue(ranks.train(config, 2, "run", false).getFirst().replicasIdentical());
    List<Integer> round = List.of(16, 16, 16, 16, 32, 32, 64);
    List<Integer> expected = new ArrayList<>(round);
    expected.addAll(round);
    expected.addAll(List.of(16, 16));
    assertEquals(expected, steps(ranks).stream().map(TrainingEvent.Step::batch).toList());
    for (TrainingEvent.Step step : steps(ranks)) {
      assertEquals(0.02 * step.batch() / 16, step.learningRate(), 1e-9);
    }
  }

  /** In the first pass, in a later one and at the end of a round. */
  @ParameterizedTest
  @CsvSource({"reuse,2", "reuse,7", "reuse,12", "saw-tooth,5", "saw-tooth,7"})
  void aRunResumedInMidEpochEqualsAnUndisturbedOne(String name, int stop) throws Exception {
    ThreadRanks whole = ranks();
    whole.train(example(name, RATE, "steps=15"), 2, "whole", false);
    ranks().train(example(name, RATE, "steps=" + stop), 2, "run", false);
    ThreadRanks resumed = ranks();
    resumed.train(example(name, RATE, "steps=15"), 2, "run", true);
    assertEquals(15 - stop, steps(resumed).size());
    for (int i = 0; i < whole.parameters.size(); i++) {
      assertArrayEquals(whole.parameters.get(i), resumed.parameters.get(i));
    }
  }

  @Test
  void anotherOrderIsRefused() throws Exception {
    ranks().train(example("reuse", "steps=2"), 2, "run", false);
    var e =
        assertThrows(
            UsageException.class, () -> ranks().train(example("reuse", "steps=4"), 1, "run", true));
    assertEquals(
        "the checkpoint was saved with data.reuse 4:process,node, batch 16, 2 ranks, but this run"
            + " has 4:process,node, batch 16, 1 ranks: resume with the same",
        e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "determinism=elastic,use determinism: run",
    "'batch.grow={limit: 64, threshold: 0.1, window-samples: 100}',leave one of them out",
    "data.reuse.steps=0,at least 1 step",
    "data.reuse.passes=[galaxy],passes"
  })
  void whatDoesNotGoWithReuseIsRefused(String setting, String message) {
    var e = assertThrows(UsageException.class, () -> example("reuse", setting));
    assertTrue(e.getMessage().contains(message), e.getMessage());
    assertEquals(1, e.getMessage().lines().count());
  }

  @Test
  void aSawToothBatchNeedsReuse() {
    var e = assertThrows(UsageException.class, () -> TestConfigs.digits("batch.saw-tooth=true"));
    assertTrue(e.getMessage().contains("set data.reuse"), e.getMessage());
  }
}
