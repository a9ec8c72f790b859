package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.FolderCheckpointStore;
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
  void checkpointsOfTwoAndFourRanksGoOnOnOneToFourWithTheSameBits() throws Exception {
    TrainingConfig config = TestConfigs.normalised(ELASTIC);
    String expected = ranks().train(config, 1, "alone", false).getFirst().digest();
    for (int writers : new int[] {2, 4}) {
      String whole = "by-" + writers;
      assertEquals(expected, ranks().train(config, writers, whole, false).getFirst().digest());
      for (int readers = 1; readers <= 4; readers++) {
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

  /** A store that restores everything but one stream of the state. */
  private record Forgetful(CheckpointStore store, String tensor) implements CheckpointStore {

    @Override
    public Path save(long step, SlicedState state) {
      return store.save(step, state);
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
