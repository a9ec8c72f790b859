package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.order.Position;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileTrees;
import dev.tandem.train.batch.BatchObservation;
import dev.tandem.train.batch.BatchSizing;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens between steps; the ranks are threads. */
class TrainingLoopTest {

  @TempDir Path folder;

  private final RecordSource training = GlyphRecords.draw(new Seed(1), 333);
  private final RecordSource test = GlyphRecords.draw(new Seed(2), 101);

  private ThreadRanks ranks() {
    return new ThreadRanks(training, test, folder);
  }

  private CheckpointStore store(String name) {
    return new FolderCheckpointStore(folder.resolve(name), DurableFiles.system());
  }

  /** Doubles the batch after every epoch, and remembers what it doubled to. */
  private static final class Doubling implements BatchSizing {

    private int batch;

    @Override
    public int next(BatchObservation observation) {
      batch = observation.epochEnded() ? 2 * observation.batch() : observation.batch();
      return batch;
    }

    @Override
    public String save() {
      return Integer.toString(batch);
    }

    @Override
    public void restore(String saved) {
      batch = Integer.parseInt(saved);
    }
  }

  @Test
  void aResumedRunEqualsAnUninterruptedOneBitwise() throws Exception {
    TrainingConfig config =
        TestConfigs.normalised(
            "epochs=3",
            "checkpoint.every-steps=7",
            "optimizer={kind: adamw}",
            "schedule.rate=1e-3");
    ThreadRanks threads = ranks().with(Doubling::new);
    TrainingEvent.Result whole = threads.train(config, 2, "run", false).getFirst();
    List<TrainingEvent> told = List.copyOf(threads.events);
    assertEquals(List.of(7L, whole.steps()), store("run").steps().subList(0, 2));
    // As if the machine had died after step 7: what came later is lost.
    for (long step : store("run").steps()) {
      if (step > 7) {
        FileTrees.delete(folder.resolve("run/step-%09d".formatted(step)));
      }
    }
    TrainingEvent.Result resumed = threads.train(config, 2, "run", true).getFirst();
    assertEquals(whole.digest(), resumed.digest());
    assertEquals(whole.accuracy(), resumed.accuracy());
    assertEquals(whole.steps(), resumed.steps());
    List<TrainingEvent> again = List.copyOf(threads.events);
    assertEquals(steps(told).subList(7, steps(told).size()), steps(again));
  }

  private static List<TrainingEvent.Step> steps(List<TrainingEvent> events) {
    List<TrainingEvent.Step> steps = new ArrayList<>();
    for (TrainingEvent event : events) {
      if (event instanceof TrainingEvent.Step step) {
        steps.add(untimed(step));
      }
    }
    return steps;
  }

  private static TrainingEvent.Step untimed(TrainingEvent.Step step) {
    return new TrainingEvent.Step(
        step.step(),
        step.images(),
        step.totalImages(),
        step.loss(),
        step.learningRate(),
        step.gradientNorm(),
        step.batch(),
        step.accuracy(),
        0,
        0,
        0,
        0,
        0,
        0,
        0);
  }

  @Test
  void aResumedRunRefusesAnotherOrderOfSamples() throws Exception {
    ranks().train(TestConfigs.digits("epochs=1"), 1, "run", false);
    TrainingConfig other = TestConfigs.digits("epochs=2", "seed=9");
    var e = assertThrows(UsageException.class, () -> ranks().train(other, 1, "run", true));
    assertTrue(e.getMessage().contains("belongs to another order of samples"), e.getMessage());
  }

  @Test
  void aBatchThatGrowsSeesEverySampleOnce() throws Exception {
    ThreadRanks threads = ranks().with(Doubling::new);
    TrainingConfig config = TestConfigs.digits("epochs=3", "schedule={rate: 0.02, for-batch: 64}");
    threads.train(config, 2, "run", false);
    List<TrainingEvent.Step> steps = steps(threads.events);
    assertEquals(6 + 3 + 2, steps.size()); // 333 samples by 64, 128 and 256
    assertEquals(3 * 333, steps.getLast().images());
    assertEquals(
        List.of(64, 128, 256), steps.stream().map(TrainingEvent.Step::batch).distinct().toList());
    // The rate follows the batch.
    assertEquals(2, rateShare(steps.get(6)), 1e-9);
    assertEquals(4, rateShare(steps.get(9)), 1e-9);
  }

  /** The rate of a step by that of the schedule without scaling. */
  private double rateShare(TrainingEvent.Step step) {
    TrainingConfig plain = TestConfigs.digits("epochs=3", "schedule={rate: 0.02}");
    Rates rates = new Rates(plain, BatchFeed.steps(plain, training, 64), 1);
    long before = step.images() - Math.min(step.batch(), 333);
    return step.learningRate() / rates.at(new Position(0, before), step.batch());
  }

  @Test
  void numbersThatAreNotFiniteStopTheRunAndTheLastGoodStateIsKept() throws Exception {
    TrainingConfig config =
        TestConfigs.normalised("guard.clip=0", "schedule={kind: constant, rate: 1e30}");
    var e = assertThrows(WorkFailedException.class, () -> ranks().train(config, 2, "run", false));
    assertTrue(
        e.getMessage()
            .matches(
                "step \\d+: the loss is .* and the norm of the gradients .*; the first gradient"
                    + " that is not finite is that of layer \\w+ \\(\\w+\\.\\w+\\)\\. Lower"
                    + " schedule.rate .*"),
        e.getMessage());
    long step = Long.parseLong(e.getMessage().replaceAll("step (\\d+):.*", "$1"));
    assertEquals(List.of(step - 1), store("run").steps());
    try (Network network = ThreadRanks.network(config);
        Optimizer optimizer = config.optimizer().create(network)) {
      store("run").restore(step - 1, optimizer.stateTree(Map.of()));
      network.parameters().forEach(p -> assertFinite(p.data().toArray(ValueLayout.JAVA_FLOAT)));
      network.buffers().forEach(b -> assertFinite(b.data().toArray(ValueLayout.JAVA_FLOAT)));
    }
  }

  private static void assertFinite(float[] values) {
    for (float value : values) {
      assertTrue(Float.isFinite(value));
    }
  }

  @Test
  void aLossThatJumpsStopsTheRun() throws Exception {
    // No warm-up and a rate that is much too high: the loss explodes but stays finite for a while.
    TrainingConfig config =
        TestConfigs.digits(
            "guard={clip: 0, loss-spike: 1.5, spike-after: 1}",
            "optimizer={kind: sgd, momentum: 0}",
            "schedule={kind: constant, rate: 3}");
    var e = assertThrows(WorkFailedException.class, () -> ranks().train(config, 2, "run", false));
    assertTrue(
        e.getMessage()
            .matches(
                "step \\d+: the loss jumped from about .* to .*; the largest gradient is that of"
                    + " layer \\w+ .*"),
        e.getMessage());
    assertEquals(1, store("run").steps().size());
  }

  @Test
  void trainingEndsWhenValidationsBringNoGain() throws Exception {
    TrainingConfig config =
        TestConfigs.digits(
            "epochs=50",
            "schedule={kind: constant, rate: 1e-9}",
            "validation.patience=2",
            "checkpoint.best=true");
    ThreadRanks threads = ranks();
    TrainingEvent.Result result = threads.train(config, 2, "run", false).getFirst();
    assertTrue(result.stoppedEarly());
    assertEquals(3 * 6, result.steps()); // the first counts as a gain
    assertEquals(List.of(6L, 18L), store("run").steps());
    assertEquals(6, result.bestStep());
  }

  @Test
  void frozenLayersStay() throws Exception {
    TrainingConfig config = TestConfigs.digits("fine-tune.freeze=[conv*]", "epochs=1");
    try (Network fresh = ThreadRanks.network(config)) {
      for (String level : List.of("run", "elastic")) {
        ThreadRanks threads = ranks();
        threads.train(
            TestConfigs.digits("fine-tune.freeze=[conv*]", "epochs=1", "determinism=" + level),
            2,
            level,
            false);
        Set<Boolean> changed = new HashSet<>();
        for (int i = 0; i < threads.parameters.size(); i++) {
          float[] before = fresh.parameters().get(i).data().toArray(ValueLayout.JAVA_FLOAT);
          if (fresh.parameters().get(i).name().startsWith("conv")) {
            assertArrayEquals(before, threads.parameters.get(i));
          } else {
            changed.add(Arrays.equals(before, threads.parameters.get(i)));
          }
        }
        assertEquals(Set.of(false), changed);
      }
    }
  }

  @Test
  void theLogOnlyGrowsAlsoAfterALineInPart() throws Exception {
    Clock clock = Clock.fixed(Instant.ofEpochMilli(5), ZoneOffset.UTC);
    TrainingEvent first =
        new TrainingEvent.Step(1, 64, 640, 2, 0.5, 1, 64, null, 0, 0, 0, 0, 0, 0, 0);
    TrainingEvent second = new TrainingEvent.Rewind(1);
    Path metrics = folder.resolve(RunLog.METRICS);
    try (RunLog log = new RunLog(folder, clock)) {
      log.begin(0);
      log.write(first);
    }
    Files.writeString(metrics, "{\"event\":\"st", StandardOpenOption.APPEND);
    try (RunLog log = new RunLog(folder, clock)) {
      log.begin(1);
      log.write(second);
    }
    assertEquals(
        List.of(first.json(5), "{\"event\":\"st", second.json(5)), Files.readAllLines(metrics));
  }
}
