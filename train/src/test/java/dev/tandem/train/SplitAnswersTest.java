package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.comm.Communicator;
import dev.tandem.core.Seed;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.data.RecordSource;
import dev.tandem.data.glyphs.Glyph;
import dev.tandem.data.glyphs.GlyphDigits;
import dev.tandem.data.image.Image;
import dev.tandem.nn.Evaluation;
import dev.tandem.nn.Network;
import dev.tandem.posix.DurableFiles;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import dev.tandem.train.config.StrategyConfig;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** However the network of a run is split over ranks, it says what the whole one says. */
class SplitAnswersTest {

  private static final int IMAGES = 7;

  @TempDir Path run;

  /** What was said. */
  private record Said(Evaluation evaluation, List<List<Predictor.Answer>> answers) {}

  @Test
  void aSplitNetworkGivesTheAnswersOfTheWholeOne() throws Exception {
    Seed seed = TestSeed.of(SplitAnswersTest.class);
    save(TestConfigs.normalised("validation.batch=9", "strategy=filter=2"), seed.random());
    RecordSource test = GlyphRecords.draw(seed.derive("test"), 20);
    List<Image> images = new ArrayList<>();
    for (int i = 0; i < IMAGES; i++) {
      Glyph glyph = GlyphDigits.draw(seed.derive("images"), i);
      images.add(Image.of(MemorySegment.ofArray(glyph.pixels()), 1, 28, 28));
    }
    Said whole;
    try (SavedRun alone = SavedRun.open(run, SavedRun.Which.LAST, 1)) {
      whole = said(alone, test, images);
    }
    for (String strategy : List.of("", "channel=3", "spatial=2x2", "data=2,alternate=2")) {
      int ranks = strategy.isEmpty() ? 2 : strategy.startsWith("channel") ? 3 : 4;
      for (Said split : split(ranks, strategy, test, images)) {
        assertClose(whole, split, strategy);
      }
    }
    for (String strategy : List.of("sharded=2", "pipeline=2")) {
      for (Said split : split(2, strategy, test, images)) {
        assertClose(whole, split, strategy);
      }
    }
  }

  @Test
  void theStrategyOfTheRunStaysButForItsMesh() throws Exception {
    Seed seed = TestSeed.of(SplitAnswersTest.class);
    save(
        TestConfigs.normalised(
            "strategy.mesh=filter=2",
            "strategy.layers={scores: whole}",
            "strategy.gather=eager",
            "strategy.spatial.aggregate-to=samples",
            "strategy.pipeline.cuts=[conv2]"),
        seed.random());
    try (SavedRun alone = SavedRun.open(run, SavedRun.Which.LAST, 1)) {
      assertEquals(Map.of(), alone.config().strategy().layers());
    }
    for (String strategy : List.of("", "channel=2", "data=2", "pipeline=2")) {
      boolean splits = strategy.isEmpty() || strategy.startsWith("channel");
      List<StrategyConfig> kept =
          onRanks(
              2,
              strategy,
              part -> {
                TensorView weight =
                    part.network().parameters().stream()
                        .filter(each -> each.name().equals("scores.weight"))
                        .findFirst()
                        .orElse(null);
                assertTrue(
                    weight == null || part.network().part().region(weight).isAll(), strategy);
                return part.config().strategy();
              });
      for (StrategyConfig each : kept) {
        assertEquals(splits ? Map.of("scores", "whole") : Map.of(), each.layers(), strategy);
        assertEquals(StrategyConfig.Gather.EAGER, each.gather(), strategy);
        assertEquals(
            StrategyConfig.Spatial.AggregateTo.SAMPLES, each.spatial().aggregateTo(), strategy);
        assertEquals(
            strategy.isEmpty() ? List.of("conv2") : List.of("auto"),
            each.pipeline().cuts(),
            strategy);
      }
    }
  }

  private static void assertClose(Said whole, Said split, String strategy) {
    assertEquals(whole.evaluation.samples(), split.evaluation.samples(), strategy);
    assertEquals(whole.evaluation.correct(), split.evaluation.correct(), strategy);
    assertEquals(whole.evaluation.lossSum(), split.evaluation.lossSum(), 1e-3, strategy);
    assertEquals(IMAGES, split.answers.size());
    for (int i = 0; i < IMAGES; i++) {
      List<Predictor.Answer> expected = whole.answers.get(i);
      List<Predictor.Answer> given = split.answers.get(i);
      for (int j = 0; j < expected.size(); j++) {
        assertEquals(expected.get(j).label(), given.get(j).label(), strategy);
        assertEquals(expected.get(j).probability(), given.get(j).probability(), 1e-4, strategy);
      }
    }
  }

  /** Random parameters and running statistics, saved as a run does. */
  private void save(TrainingConfig config, SplittableRandom random) {
    config.save(run);
    try (Network network = ThreadRanks.network(config)) {
      for (TensorView buffer : network.buffers()) {
        for (long i = 0; i < buffer.shape().elements(); i++) {
          buffer.data().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextDouble(0.5, 1.5));
        }
      }
      List<TensorView> tensors = new ArrayList<>(network.parameters());
      tensors.addAll(network.buffers());
      new FolderCheckpointStore(config.checkpoint().folder(run), DurableFiles.system())
          .save(3, StateTree.of(tensors, Map.of()));
    }
  }

  private static Said said(SavedRun run, RecordSource test, List<Image> images) {
    assertEquals(3, run.step());
    return new Said(run.evaluate(test), new Predictor(run).predict(images, 3));
  }

  private List<Said> split(int ranks, String strategy, RecordSource test, List<Image> images)
      throws Exception {
    List<Said> all = onRanks(ranks, strategy, part -> said(part, test, images));
    assertTrue(all.stream().allMatch(all.getFirst()::equals), strategy + " on all ranks");
    return all;
  }

  private <T> List<T> onRanks(int ranks, String strategy, Function<SavedRun, T> question)
      throws Exception {
    return Watchdog.within(
        Duration.ofMinutes(2),
        () -> {
          List<T> all = new ArrayList<>();
          try (ExecutorService threads = Executors.newFixedThreadPool(ranks)) {
            List<Callable<T>> calls = new ArrayList<>();
            for (Communicator communicator : Communicator.threads(ranks)) {
              calls.add(
                  () -> {
                    try (communicator;
                        SavedRun part =
                            SavedRun.open(
                                run, SavedRun.Which.LAST, 1, strategy, "", communicator)) {
                      return question.apply(part);
                    }
                  });
            }
            for (Future<T> said : threads.invokeAll(calls)) {
              all.add(said.get());
            }
          }
          return all;
        });
  }
}
