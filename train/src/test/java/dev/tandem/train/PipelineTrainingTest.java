package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.nn.Engine;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Training with a pipeline has the bits of training that accumulates the same pieces: parameters,
 * running statistics, optimizer state, and what evaluation says. The ranks are threads.
 */
class PipelineTrainingTest {

  private static final int PIECES = 4;

  @TempDir Path folder;

  private final RecordSource training = GlyphRecords.draw(new Seed(1), 75);
  private final RecordSource test = GlyphRecords.draw(new Seed(2), 31);

  private static TrainingConfig config(String strategy, String... settings) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "batch.global=32",
                "guard.clip=0",
                "schedule={kind: constant, rate: 0.05}",
                "epochs=2",
                "validation.batch=16",
                "strategy.mesh='" + strategy + "'",
                strategy.contains("pipeline")
                    ? "strategy.pipeline.micro-batches=" + PIECES
                    : "batch.accumulation=" + PIECES));
    all.addAll(List.of(settings));
    return TestConfigs.normalised(all.toArray(String[]::new));
  }

  private TrainingEvent.Result train(TrainingConfig config, int ranks, String name, boolean resume)
      throws Exception {
    List<TrainingEvent.Result> results =
        new ThreadRanks(training, test, folder).train(config, ranks, name, resume);
    for (TrainingEvent.Result result : results) {
      assertTrue(result.replicasIdentical());
      assertEquals(results.getFirst().accuracy(), result.accuracy());
      assertEquals(results.getFirst().digest(), result.digest());
    }
    return results.getFirst();
  }

  private void assertSame(TrainingEvent.Result expected, TrainingEvent.Result result) {
    assertEquals(expected.digest(), result.digest());
    assertEquals(expected.accuracy(), result.accuracy());
  }

  @Test
  void sameBitsAsAccumulationAndGoesOnWithoutStages() throws Exception {
    TrainingEvent.Result alone = train(config("data"), 1, "alone", false);
    assertSame(alone, train(config("pipeline"), 3, "three", false));
    TrainingConfig gpipe =
        config(
            "pipeline",
            "steps=2",
            "strategy.pipeline={schedule: gpipe, micro-batches: 4, cuts: [conv2], recompute: true}");
    train(gpipe, 2, "parts", false);
    assertSame(alone, train(config("data"), 1, "parts", true));
  }

  @Test
  void dataRanksOfAStageSumTheirGradients() throws Exception {
    dataRanksOfAStage(true);
  }

  @Test
  @Tag("slow")
  void dataRanksOfAStageWithStatisticsOfTheirOwn() throws Exception {
    dataRanksOfAStage(false);
  }

  private void dataRanksOfAStage(boolean synchronised) throws Exception {
    String statistics = "synchronised-batch-norm=" + synchronised;
    String whole = synchronised ? "data.epoch-end=circular" : "data.epoch-end=exact";
    TrainingEvent.Result data = train(config("data", statistics, whole), 2, "data", false);
    assertSame(data, train(config("data=2,pipeline=2", statistics, whole), 4, "both", false));
  }

  @Test
  @Tag("slow")
  void stagesOfSplitLayers() throws Exception {
    TrainingEvent.Result split = train(config("filter=2"), 2, "split", false);
    assertSame(split, train(config("pipeline=2,filter=2"), 4, "both", false));
  }

  @Test
  void clippedByTheNormOfAllStages() throws Exception {
    TrainingEvent.Result alone = train(config("data", "guard.clip=0.05"), 1, "alone", false);
    TrainingEvent.Result two = train(config("pipeline", "guard.clip=0.05"), 2, "two", false);
    assertEquals(alone.accuracy(), two.accuracy(), 0.1);
    assertEquals(alone.testLoss(), two.testLoss(), 1e-3);
  }

  @Test
  void refusals() {
    assertEquals("pipeline=8: only 5 layers can begin a stage", refusal(config("pipeline=8"), 8));
    assertTrue(
        refusal(config("pipeline=2", "batch.accumulation=2"), 2)
            .startsWith("batch.accumulation is 2, but a pipeline cuts a step"));
    assertTrue(
        refusal(config("pipeline=3", "strategy.pipeline.cuts=[conv2]"), 3)
            .startsWith("pipeline.cuts must name 2 layers for 3 stages, not 1"));
  }

  private static String refusal(TrainingConfig config, int ranks) {
    return assertThrows(UsageException.class, () -> config.checkRanks(ranks)).getMessage();
  }

  @Test
  void cutsOfARunStay() throws Exception {
    TrainingConfig config = config("pipeline=1");
    config.save(folder);
    try (Communicator alone = Communicator.alone()) {
      TrainingConfig decided = PipelineCuts.decided(config, alone, folder, () -> Engine.start(1));
      assertEquals(List.of(), decided.strategy().pipeline().cuts());
    }
    TrainingConfig named = config("pipeline=2", "strategy.pipeline.cuts=[conv2]");
    named.save(folder);
    assertEquals(List.of("conv2"), TrainingConfig.load(folder).strategy().pipeline().cuts());
  }
}
