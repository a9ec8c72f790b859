package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.RecordSource;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileTrees;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Training with parameter servers; the ranks are threads. */
class ServedTrainingTest {

  @TempDir Path folder;

  private final RecordSource training = GlyphRecords.draw(new Seed(1), 333);
  private final RecordSource test = GlyphRecords.draw(new Seed(2), 101);

  private ThreadRanks ranks() {
    return new ThreadRanks(training, test, folder);
  }

  private static TrainingConfig served(int staleness, String... more) {
    List<String> settings = new ArrayList<>(List.of(more));
    settings.add("determinism=fast");
    settings.add("servers.staleness=" + staleness);
    settings.add("guard.clip=0");
    return TestConfigs.normalised(settings.toArray(String[]::new));
  }

  /** Gradients of all ranks summed in rank order, then one update by the same rule. */
  @Test
  void withoutStalenessItIsSynchronousTraining() throws Exception {
    ThreadRanks synchronous = ranks();
    synchronous.train(TestConfigs.normalised("steps=20", "guard.clip=0"), 3, "run", false);
    ThreadRanks servers = ranks();
    servers.train(served(0, "steps=20"), 3, "servers", false);
    assertEquals(synchronous.parameters.size(), servers.parameters.size());
    int same = 0;
    for (int i = 0; i < synchronous.parameters.size(); i++) {
      // The same bits where the engine, too, multiplies and adds with one rounding (FMA).
      assertArrayEquals(synchronous.parameters.get(i), servers.parameters.get(i), 1e-5f);
      same += Arrays.equals(synchronous.parameters.get(i), servers.parameters.get(i)) ? 1 : 0;
    }
    System.out.printf(
        "of %d parameters %d have the same bits%n", synchronous.parameters.size(), same);
  }

  /** With the momentum and the rate of synchronous training, 0.9 and 0.05. */
  @Test
  void staleTrainingLearnsAsMuchAndEndsWithTheSameOnAllRanks() throws Exception {
    TrainingConfig plain = TestConfigs.normalised("epochs=12", "guard.clip=0");
    double synchronous = ranks().train(plain, 3, "run", false).getFirst().accuracy();
    TrainingConfig[] stale = {
      served(2, "epochs=12"), served(4, "epochs=12", "servers.proxies=[node]")
    };
    for (int i = 0; i < stale.length; i++) {
      List<TrainingEvent.Result> results = ranks().train(stale[i], 3, "stale-" + i, false);
      for (TrainingEvent.Result result : results) {
        assertTrue(result.replicasIdentical());
        assertEquals(results.getFirst().digest(), result.digest());
        assertTrue(
            result.accuracy() > synchronous - 0.1,
            "accuracy " + result.accuracy() + ", synchronous " + synchronous);
      }
    }
  }

  /** A checkpoint has what the servers have: parameters and momentum. */
  @Test
  void aRunGoesOnFromItsCheckpoint() throws Exception {
    TrainingConfig config = served(0, "epochs=2", "checkpoint.every-steps=4");
    String whole = ranks().train(config, 3, "whole", false).getFirst().digest();
    Path run = folder.resolve("whole");
    for (long step : new FolderCheckpointStore(run, DurableFiles.system()).steps()) {
      if (step > 4) {
        FileTrees.delete(run.resolve("step-%09d".formatted(step)));
      }
    }
    TrainingEvent.Result again = ranks().train(config, 3, "whole", true).getFirst();
    assertEquals(whole, again.digest());
    assertTrue(again.steps() > 4);
  }

  /** Whoever wrote it: servers or not, that many ranks or others. */
  @Test
  void checkpointsDoNotTellServersFromAllreduce() throws Exception {
    ranks().train(served(3, "steps=4"), 3, "run", false);
    ranks().train(TestConfigs.normalised("steps=6"), 2, "run", true);
    TrainingEvent.Result result =
        ranks().train(served(2, "steps=9", "servers.ranks=1"), 4, "run", true).getFirst();
    assertTrue(result.replicasIdentical());
    assertEquals(9, result.steps());
    assertTrue(
        new FolderCheckpointStore(folder.resolve("run"), DurableFiles.system())
            .steps()
            .containsAll(List.of(4L, 6L, 9L)));
    FileTrees.delete(folder.resolve("run"));
  }

  /** Every rank stops, nothing hangs, and what was learnt before is kept. */
  @ParameterizedTest
  @CsvSource({"0,[]", "2,[node]"})
  void troubleStopsAllRanks(int staleness, String proxies) {
    TrainingConfig config =
        served(
            staleness,
            "schedule.rate=1e30",
            "schedule.warmup-steps=0",
            "epochs=8",
            "servers.proxies=" + proxies);
    var e =
        assertThrows(WorkFailedException.class, () -> ranks().train(config, 3, "trouble", false));
    assertTrue(e.getMessage().contains("--resume continues from"), e.getMessage());
    assertTrue(e.getMessage().startsWith("stopped after step"), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "determinism=run,set determinism: fast",
    "determinism=elastic,set determinism: fast",
    "optimizer.kind=adagrad,set optimizer.kind: sgd",
    "synchronised-batch-norm=true,set it to false",
    "gradients.compression=bfloat16,leave gradients.compression",
    "'servers.proxies=[switch, floor]','expected numa alone, or of node, switch, rack, machine'",
    "servers.staleness=-1,'staleness is -1, expected 0 or more'"
  })
  void whatServersCannotDoIsRefused(String setting, String remedy) {
    List<String> settings =
        setting.startsWith("optimizer")
            ? List.of("determinism=fast", "servers.staleness=1", "optimizer={kind: adagrad}")
            : List.of("determinism=fast", "servers.staleness=1", setting);
    var e =
        assertThrows(
            UsageException.class, () -> TestConfigs.digits(settings.toArray(String[]::new)));
    assertTrue(e.getMessage().contains(remedy), e.getMessage());
    assertTrue(e.getMessage().lines().count() == 1);
  }

  @Test
  void theConfigurationIsKept() {
    TrainingConfig config =
        served(
            3,
            "servers.proxies=[node, rack]",
            "servers.ranks=2",
            "servers.cluster-map=map",
            "servers.compensate=false");
    config.save(folder);
    assertEquals(config.servers(), TrainingConfig.load(folder).servers());
  }
}
