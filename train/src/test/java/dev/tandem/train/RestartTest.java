package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.checkpoint.SavedCheckpoint;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.core.Seed;
import dev.tandem.data.RecordSource;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileTrees;
import dev.tandem.train.config.TrainingConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run goes on from a checkpoint as if it had never stopped, on any number of ranks. */
class RestartTest {

  private static final String[] ELASTIC = {
    "determinism=elastic",
    "shards=4",
    "synchronised-batch-norm=true",
    "epochs=2",
    "checkpoint.every-steps=4"
  };

  @TempDir Path folder;
  private final RecordSource training = GlyphRecords.draw(new Seed(1), 333);
  private final RecordSource test = GlyphRecords.draw(new Seed(2), 101);

  private ThreadRanks ranks() {
    return new ThreadRanks(training, test, folder);
  }

  /** Keeps the checkpoints up to a step, as if the machine had died after it. */
  private Path copyUpTo(long last, String from, String to) throws IOException {
    Path target = Files.createDirectory(folder.resolve(to));
    Path source = folder.resolve(from);
    for (long step : new FolderCheckpointStore(source, DurableFiles.system()).steps()) {
      if (step <= last) {
        String name = "step-%09d".formatted(step);
        Files.createDirectory(target.resolve(name));
        try (Stream<Path> files = Files.list(source.resolve(name))) {
          for (Path file : files.toList()) {
            Files.copy(file, target.resolve(name).resolve(file.getFileName()));
          }
        }
      }
    }
    return target;
  }

  @Test
  void checkpointsOfTwoRanksContinueOnThreeWithTheSameBits() throws Exception {
    continueWithTheSameBits(List.of(2), List.of(3));
  }

  @Test
  @Tag("slow")
  void checkpointsOfTwoAndFourRanksContinueOnOneToFourWithTheSameBits() throws Exception {
    continueWithTheSameBits(List.of(2, 4), List.of(1, 2, 3, 4));
  }

  private void continueWithTheSameBits(List<Integer> byRanks, List<Integer> onRanks)
      throws Exception {
    TrainingConfig config = TestConfigs.normalised(ELASTIC);
    String expected = ranks().train(config, 1, "alone", false).getFirst().digest();
    for (int writers : byRanks) {
      String whole = "by-" + writers;
      assertEquals(expected, ranks().train(config, writers, whole, false).getFirst().digest());
      for (int readers : onRanks) {
        String name = whole + "-on-" + readers;
        copyUpTo(4, whole, name);
        assertEquals(
            expected, ranks().train(config, readers, name, true).getFirst().digest(), name);
        FileTrees.delete(folder.resolve(name));
      }
    }
  }

  @Test
  void aDamagedCheckpointIsPassedOverAndWrittenAgain() throws Exception {
    TrainingConfig config = TestConfigs.normalised(ELASTIC);
    String expected = ranks().train(config, 2, "whole", false).getFirst().digest();
    Path run = copyUpTo(8, "whole", "run");
    Path shard = run.resolve("step-000000008/shard-00001-of-00002.safetensors");
    byte[] bytes = Files.readAllBytes(shard);
    bytes[bytes.length - 5] ^= 4;
    Files.write(shard, bytes);
    assertEquals(expected, ranks().train(config, 2, "run", true).getFirst().digest());
  }

  /** As after a batch that memory did not suffice for. */
  @Test
  void aRunGoesOnWithASmallerBatch() throws Exception {
    ranks().train(TestConfigs.digits("steps=2"), 1, "run", false);
    ThreadRanks again = ranks();
    again.train(TestConfigs.digits("steps=4", "batch.global=20"), 1, "run", true);
    assertEquals(20, ((TrainingEvent.Step) again.events.getFirst()).batch());
    String grow = "batch.grow={limit: %d, threshold: 0.9, window-samples: 20}";
    TrainingConfig wide = TestConfigs.digits("steps=4", grow.formatted(300));
    ranks().with(wide.batch()::sizing).train(wide, 1, "grown", false);
    TrainingConfig narrow = TestConfigs.digits("steps=5", grow.formatted(100));
    ThreadRanks limited = ranks().with(narrow.batch()::sizing);
    limited.train(narrow, 1, "grown", true);
    assertEquals(100, ((TrainingEvent.Step) limited.events.getFirst()).batch());
  }

  /** The fast level has the newest state, the last one the state at the end of the run. */
  @Test
  void aRunGoesOnFromTheNewestOfItsLevels() throws Exception {
    Path near = folder.resolve("near");
    TrainingConfig config =
        TestConfigs.normalised(
            "determinism=elastic",
            "shards=4",
            "synchronised-batch-norm=true",
            "epochs=2",
            "checkpoint={every-steps: 2, every: 2, compression: zstd, local: {folder: '%s', keep: 9}}"
                .formatted(near));
    String expected = ranks().train(config, 2, "whole", false).getFirst().digest();
    assertEquals(List.of(2L, 4L, 6L, 8L, 10L, 12L), steps(near.resolve("whole")));
    assertEquals(List.of(6L, 10L, 12L), steps(folder.resolve("whole/checkpoints")));
    // As if it had been killed after a save that only the fast level got.
    copyUpTo(8, "near/whole", "near/run");
    Files.createDirectory(folder.resolve("run"));
    copyUpTo(8, "whole/checkpoints", "run/checkpoints");
    ThreadRanks again = ranks();
    assertEquals(expected, again.train(config, 3, "run", true).getFirst().digest());
    TrainingEvent.Step first = (TrainingEvent.Step) again.events.getFirst();
    assertEquals(9, first.step());
  }

  private static List<Long> steps(Path store) {
    return new FolderCheckpointStore(store, DurableFiles.system()).steps();
  }

  @Test
  void theAutomaticIntervalSavesAndChangesNoBits() throws Exception {
    TrainingConfig config = TestConfigs.normalised(ELASTIC);
    String expected = ranks().train(config, 1, "fixed", false).getFirst().digest();
    TrainingConfig automatic =
        TestConfigs.normalised(
            "determinism=elastic",
            "shards=4",
            "synchronised-batch-norm=true",
            "epochs=2",
            "batch.global=12",
            "checkpoint={every-steps: auto, failure-hours: 1e-6, budget-percent: 50, keep: 0}");
    String same = ranks().train(automatic, 1, "alone", false).getFirst().digest();
    assertEquals(same, ranks().train(automatic, 2, "auto", false).getFirst().digest());
    assertNotEquals(expected, same);
    List<Long> saved = steps(folder.resolve("auto"));
    assertEquals(20, saved.getFirst());
    assertTrue(saved.size() > 2, saved.toString());
    Map<String, String> values =
        SavedCheckpoint.open(folder.resolve("auto"), 20, DurableFiles.system()).values();
    assertTrue(values.get("configuration").contains("every-steps: auto"), values.toString());
    assertEquals(System.getProperty("java.version"), values.get("code.java"));
  }

  /** A store that restores everything but one stream of the state. */
  private record Forgetful(CheckpointStore store, String tensor) implements CheckpointStore {

    @Override
    public Path save(long step, SlicedState state) {
      return store.save(step, state);
    }

    @Override
    public Optional<Path> keep(long step, SlicedState state) {
      return store.keep(step, state);
    }

    @Override
    public void await() {
      store.await();
    }

    @Override
    public List<Long> steps() {
      return store.steps();
    }

    @Override
    public Map<String, String> restore(long step, SlicedState state) {
      return store.restore(step, state);
    }

    @Override
    public Optional<Restored> restoreNewest(SlicedState state) {
      Optional<Restored> restored = store.restoreNewest(state);
      state.tree().tensors().get(tensor).data().fill((byte) 0);
      return restored;
    }
  }

  /** What the other tests would see if something were left out. */
  @Test
  void aStreamThatIsLeftOutChangesTheBits() throws Exception {
    TrainingConfig config = TestConfigs.normalised(ELASTIC);
    String expected = ranks().train(config, 1, "whole", false).getFirst().digest();
    for (String tensor : List.of("optimizer.momentum.conv1.weight", "norm1.running_mean")) {
      Path copy = copyUpTo(4, "whole", "without");
      String broken =
          ranks()
              .through(store -> new Forgetful(store, tensor))
              .train(config, 1, "without", true)
              .getFirst()
              .digest();
      assertNotEquals(expected, broken, tensor);
      FileTrees.delete(copy);
    }
  }
}
