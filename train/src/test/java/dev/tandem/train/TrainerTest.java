package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.comm.Communicator;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.StateTree;
import dev.tandem.data.DataRecord;
import dev.tandem.data.Datum;
import dev.tandem.data.RecordSource;
import dev.tandem.data.glyphs.Glyph;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.data.glyphs.GlyphDigits;
import dev.tandem.data.importing.SourceFormat.Split;
import dev.tandem.data.read.DirectSource;
import dev.tandem.data.source.Sources;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.models.DigitsNetwork;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.PageCache;
import dev.tandem.sync.BlockingSynchronizer;
import dev.tandem.testkit.Watchdog;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The loop with ranks as threads of this JVM; real processes are tested with the demo. */
class TrainerTest {

  @TempDir Path folder;

  private record Glyphs(List<byte[]> values) implements RecordSource {

    static Glyphs draw(Seed seed, int count) {
      List<byte[]> values = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Glyph glyph = GlyphDigits.draw(seed, i);
        values.add(Datum.of(1, 28, 28, glyph.label(), glyph.pixels()).encode());
      }
      return new Glyphs(values);
    }

    @Override
    public long size() {
      return values.size();
    }

    @Override
    public DataRecord record(long ordinal) {
      MemorySegment key = MemorySegment.ofArray(new byte[] {(byte) ordinal});
      return new DataRecord(key, MemorySegment.ofArray(values.get((int) ordinal)));
    }

    @Override
    public void close() {}
  }

  private final RecordSource training = Glyphs.draw(new Seed(1), 1_003);
  private final RecordSource test = Glyphs.draw(new Seed(2), 301);
  private final List<TrainingEvent> events = new ArrayList<>();

  private List<TrainingEvent.Result> train(int ranks, String name, long seed) throws Exception {
    return train(training, ranks, name, seed);
  }

  /** Trains with so many ranks; gives their results in rank order. */
  private List<TrainingEvent.Result> train(RecordSource source, int ranks, String name, long seed)
      throws Exception {
    TrainingConfig config = config(seed);
    return Watchdog.within(
        Duration.ofMinutes(3),
        () -> {
          try (ExecutorService threads = Executors.newFixedThreadPool(ranks)) {
            List<Callable<TrainingEvent.Result>> work = new ArrayList<>();
            for (Communicator communicator : Communicator.threads(ranks)) {
              work.add(() -> rank(config, source, communicator, folder.resolve(name)));
            }
            List<TrainingEvent.Result> results = new ArrayList<>();
            for (Future<TrainingEvent.Result> future : threads.invokeAll(work)) {
              results.add(future.get());
            }
            return results;
          }
        });
  }

  private TrainingEvent.Result rank(
      TrainingConfig config, RecordSource source, Communicator communicator, Path path) {
    try (communicator;
        Network network = network(config.seed());
        SgdMomentum optimizer = new SgdMomentum(network, DigitsNetwork.optimizer())) {
      Trainer.Parts parts =
          new Trainer.Parts(
              communicator,
              source,
              test,
              network,
              optimizer,
              new BlockingSynchronizer(communicator),
              new FolderCheckpointStore(path, DurableFiles.system()));
      return new Trainer(config, parts, events::add).run();
    }
  }

  private static TrainingConfig config(long seed) {
    return ConfigFile.parse(
            "test",
            """
            network: {model: digits}
            data: {train: unused, test: unused, normalise: {mean: 0.158, deviation: 0.211}}
            batch: {global: 64}
            optimizer: {kind: sgd, momentum: 0.9, weight-decay: 5e-4, nesterov: true}
            schedule: {kind: cosine, rate: 0.05, warmup-steps: 10}
            guard: {clip: 1}
            epochs: 2
            seed: %d
            """
                .formatted(seed))
        .config();
  }

  private static Network network(long seed) {
    return Network.create(Engine.start(1), DigitsNetwork.spec(), new Seed(seed));
  }

  @Test
  void replicasStayIdenticalAndTheCheckpointHoldsThem() throws Exception {
    List<TrainingEvent.Result> results = train(3, "three", 5);
    for (TrainingEvent.Result result : results) {
      assertTrue(result.replicasIdentical());
      assertEquals(results.getFirst().digest(), result.digest());
      assertEquals(32, result.steps());
    }
    try (Network network = network(99);
        SgdMomentum optimizer = new SgdMomentum(network, DigitsNetwork.optimizer())) {
      StateTree state = optimizer.stateTree(Map.of());
      byte[] before = Replicas.digest(state);
      Map<String, String> values =
          new FolderCheckpointStore(folder.resolve("three"), DurableFiles.system())
              .restore(32, state);
      assertEquals("32", values.get("step"));
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
    GlyphDatabase.write(database, new Seed(1), 1_003, Progress.SILENT);
    String expected = train(2, "memory", 5).getFirst().digest();
    PageCache.capability().orElseThrow().drop(database.resolve("data.mdb"));
    try (RecordSource cold = Sources.open(database, Split.TRAIN)) {
      assertInstanceOf(DirectSource.class, cold);
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
    assertEquals(32 + 2 + 2 + 1, events.size());
    assertEquals(result, events.getLast());
    TrainingEvent.Step last = assertInstanceOf(TrainingEvent.Step.class, events.get(33));
    assertEquals(2_006, last.images());
    TrainingEvent.Epoch epoch = assertInstanceOf(TrainingEvent.Epoch.class, events.get(34));
    assertEquals(result.accuracy(), epoch.testAccuracy());
    TrainingEvent.Loading loading = assertInstanceOf(TrainingEvent.Loading.class, events.get(35));
    assertEquals(32, loading.step());
    assertEquals(loading.stalls().bottleneck(), loading.bottleneck());
    assertTrue(loading.stalls().samples() > 1_000, loading.toString());
    String line = TrainingEvent.LINE_PREFIX + loading.json();
    assertEquals(Optional.of(loading), TrainingEvent.ofLine(line));
    assertTrue(result.accuracy() > 0.2, "learned nothing: " + result.accuracy());
  }
}
