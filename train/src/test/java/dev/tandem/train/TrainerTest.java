package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.StateTree;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.data.read.IndexedLmdbSource;
import dev.tandem.data.source.Sources;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.PageCache;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The loop with ranks as threads of this JVM; real processes are tested with the demo. */
class TrainerTest {

  @TempDir Path folder;

  private final RecordSource training = GlyphRecords.draw(new Seed(1), 403);
  private final RecordSource test = GlyphRecords.draw(new Seed(2), 301);
  private final List<TrainingEvent> events = new ArrayList<>();

  private List<TrainingEvent.Result> train(int ranks, String name, long seed) throws Exception {
    return train(training, ranks, name, seed);
  }

  /** Trains with so many ranks; gives their results in rank order. */
  private List<TrainingEvent.Result> train(RecordSource source, int ranks, String name, long seed)
      throws Exception {
    ThreadRanks threads = new ThreadRanks(source, test, folder);
    List<TrainingEvent.Result> results =
        threads.train(TestConfigs.digits("seed=" + seed), ranks, name, false);
    events.clear();
    events.addAll(threads.events);
    return results;
  }

  @Test
  void replicasStayIdenticalAndTheCheckpointHoldsThem() throws Exception {
    List<TrainingEvent.Result> results = train(3, "three", 5);
    for (TrainingEvent.Result result : results) {
      assertTrue(result.replicasIdentical());
      assertEquals(results.getFirst().digest(), result.digest());
      assertEquals(14, result.steps());
    }
    TrainingConfig other = TestConfigs.digits("seed=99");
    try (Network network = ThreadRanks.network(other);
        Optimizer optimizer = other.optimizer().create(network)) {
      StateTree state = optimizer.stateTree(Map.of());
      byte[] before = Replicas.digest(state);
      Map<String, String> values =
          new FolderCheckpointStore(folder.resolve("three"), DurableFiles.system())
              .restore(14, state);
      assertEquals("14", values.get("step"));
      assertNotEquals(HexFormat.of().formatHex(before), results.getFirst().digest());
      assertArrayEquals(
          HexFormat.of().parseHex(results.getFirst().digest()), Replicas.digest(state));
    }
  }

  @Test
  void theSameRunGivesTheSameBits() throws Exception {
    String first = train(2, "first", 5).getFirst().digest();
    assertEquals(first, train(2, "second", 5).getFirst().digest());
    assertNotEquals(first, train(2, "other-seed", 6).getFirst().digest());
  }

  /** From the disk past the page cache, and then from the page cache. */
  @Test
  void databasesReadByTheirIndexGiveTheSameBits() throws Exception {
    Path database = folder.resolve("database");
    GlyphDatabase.write(database, new Seed(1), 403, Progress.SILENT);
    String expected = train(2, "memory", 5).getFirst().digest();
    PageCache.capability().orElseThrow().drop(database.resolve("data.mdb"));
    try (RecordSource cold = Sources.open(database, Split.TRAIN)) {
      assertInstanceOf(IndexedLmdbSource.class, cold);
      assertEquals(expected, train(cold, 2, "cold", 5).getFirst().digest());
    }
    Files.readAllBytes(database.resolve("data.mdb"));
    try (RecordSource warm = Sources.open(database, Split.TRAIN)) {
      assertEquals(expected, train(warm, 2, "warm", 5).getFirst().digest());
    }
  }

  @Test
  void rankZeroTellsStepsEpochsTheLoadingAndTheResult() throws Exception {
    TrainingEvent.Result result = train(2, "told", 5).getFirst();
    assertEquals(14 + 2 + 2 + 1, events.size());
    assertEquals(result, events.getLast());
    TrainingEvent.Step last = assertInstanceOf(TrainingEvent.Step.class, events.get(15));
    assertEquals(806, last.images());
    assertTrue(last.accuracy() > 0 && last.accuracy() <= 1, last.toString());
    assertTrue(last.forward() > 0 && last.backward() > 0 && last.update() > 0, last.toString());
    double parts = last.read() + last.forward() + last.backward() + last.sync() + last.update();
    assertTrue(parts + last.save() <= last.ms() + 0.01, last.toString());
    TrainingEvent.Epoch epoch = assertInstanceOf(TrainingEvent.Epoch.class, events.get(16));
    assertEquals(result.accuracy(), epoch.testAccuracy());
    TrainingEvent.Loading loading = assertInstanceOf(TrainingEvent.Loading.class, events.get(17));
    assertEquals(14, loading.step());
    assertEquals(loading.stalls().bottleneck(), loading.bottleneck());
    assertTrue(loading.stalls().samples() > 400, loading.toString());
    String line = TrainingEvent.LINE_PREFIX + loading.json(1);
    assertEquals(Optional.of(loading), TrainingEvent.ofLine(line));
  }
}
