package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.data.read.LmdbSources;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.read.mode.ReadMode;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileTrees;
import dev.tandem.posix.PageCache;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All read modes train: the same bits, also when a run ends in the middle of an epoch. */
class ReadModesTrainingTest {

  @TempDir static Path folder;

  private static Path database;

  @BeforeAll
  static void draw() {
    database = folder.resolve("database");
    GlyphDatabase.write(database, new Seed(1), 403, Progress.SILENT);
  }

  /** Trains, by a mode, and gives the digest of the parameters. */
  private static String train(ReadMode mode, String shuffle, int steps, int ranks, boolean resume)
      throws Exception {
    return train(mode, Locate.AUTO, shuffle, steps, ranks, resume);
  }

  private static String train(
      ReadMode mode, Locate locate, String shuffle, int steps, int ranks, boolean resume)
      throws Exception {
    TrainingConfig config =
        TestConfigs.digits(
            "epochs=50",
            "steps=" + steps,
            "checkpoint.every-steps=10",
            "checkpoint.keep=0",
            "data.shuffle=" + shuffle,
            "data.locate=" + locate.code(),
            "data.read=" + mode.code());
    PageCache.capability().orElseThrow().drop(database.resolve("data.mdb"));
    ThreadRanks threads =
        new ThreadRanks(null, GlyphRecords.draw(new Seed(2), 51), folder)
            .reading(
                communicator ->
                    LmdbSources.open(
                        database,
                        config.data().trainingRequest(config.epochs()),
                        communicator,
                        line -> {}));
    List<TrainingEvent.Result> results = threads.train(config, ranks, name(mode, ranks), resume);
    assertEquals(steps, results.getFirst().steps());
    return results.getFirst().digest();
  }

  private static String name(ReadMode mode, int ranks) {
    return mode.code() + "-" + ranks;
  }

  /** As if the machine had died after step 10, in the second epoch of 7 steps. */
  private static void loseWhatCameLater(ReadMode mode, int ranks) {
    Path run = folder.resolve(name(mode, ranks));
    for (long step : new FolderCheckpointStore(run, DurableFiles.system()).steps()) {
      if (step > 10) {
        FileTrees.delete(run.resolve("step-%09d".formatted(step)));
      }
    }
  }

  private static void assertTrains(ReadMode mode, int steps, int mostRanks) throws Exception {
    for (int ranks = 1; ranks <= mostRanks; ranks++) {
      String expected = train(ReadMode.LMDB, "none", steps, ranks, false);
      FileTrees.delete(folder.resolve(name(ReadMode.LMDB, ranks)));
      String whole = train(mode, "none", steps, ranks, false);
      assertEquals(expected, whole, mode + " on " + ranks);
      loseWhatCameLater(mode, ranks);
      assertEquals(whole, train(mode, "none", steps, ranks, true), mode + " on " + ranks);
      FileTrees.delete(folder.resolve(name(mode, ranks)));
    }
  }

  @Test
  void theSameBitsAlsoAfterALoss() throws Exception {
    assertTrains(ReadMode.PROV, 20, 2);
  }

  @Test
  void theSameBitsByProvenance() throws Exception {
    String expected = train(ReadMode.LMDB, "index", 20, 2, false);
    assertEquals(expected, train(ReadMode.PROV, Locate.PROVENANCE, "index", 20, 2, false));
    FileTrees.delete(folder.resolve(name(ReadMode.LMDB, 2)));
    FileTrees.delete(folder.resolve(name(ReadMode.PROV, 2)));
  }

  @ParameterizedTest
  @EnumSource(ReadMode.class)
  @Tag("slow")
  void allModesTwoHundredSteps(ReadMode mode) throws Exception {
    assertTrains(mode, 200, 3);
  }

  @ParameterizedTest
  @EnumSource(
      value = ReadMode.class,
      names = {"DM", "DIO"},
      mode = EnumSource.Mode.EXCLUDE)
  @Tag("slow")
  void allModesOfAShuffledOrder(ReadMode mode) throws Exception {
    String expected = train(ReadMode.LMDB, "index", 200, 2, false);
    FileTrees.delete(folder.resolve(name(ReadMode.LMDB, 2)));
    assertEquals(expected, train(mode, "index", 200, 2, false));
    loseWhatCameLater(mode, 2);
    assertEquals(expected, train(mode, "index", 200, 2, true));
    FileTrees.delete(folder.resolve(name(mode, 2)));
  }
}
