package dev.tandem.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.testkit.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderCheckpointStoreTest {

  @TempDir Path folder;
  private CheckpointStore store;

  @BeforeEach
  void open() {
    store = new FolderCheckpointStore(folder.resolve("checkpoints"), DurableFiles.system());
  }

  @Test
  void whatIsSavedComesBack() {
    Seed seed = TestSeed.of(getClass());
    for (int round = 0; round < 20; round++) {
      StateTree saved = States.random(seed.derive(round));
      store.save(round, saved);
      StateTree restored = States.zeroed(saved);
      assertEquals(saved.values(), store.restore(round, restored));
      States.assertSame(saved, restored);
    }
    assertEquals(20, store.steps().size());
  }

  @Test
  void aCommittedStepIsNeverWrittenOver() {
    StateTree first = States.random(new Seed(1));
    store.save(5, first);
    assertThrows(WorkFailedException.class, () -> store.save(5, States.random(new Seed(2))));
    StateTree restored = States.zeroed(first);
    store.restore(5, restored);
    States.assertSame(first, restored);
    assertEquals(List.of(5L), store.steps());
  }

  @Test
  void whatIsPendingDoesNotExist() throws IOException {
    store.save(1, States.random(new Seed(1)));
    Path remains = Files.createDirectories(folder.resolve("checkpoints/step-000000002"));
    Files.write(remains.resolve("shard-00003-of-00004.safetensors"), new byte[100]);
    Files.write(remains.resolve("manifest.json.pending"), new byte[100]);
    assertEquals(List.of(1L), store.steps());
    store.save(2, States.random(new Seed(2)));
    assertEquals(List.of(1L, 2L), store.steps());
    assertEquals(2, remains.toFile().list().length, "what was there before is gone");
  }

  @Test
  void everyFlippedByteIsNoticedAndNothingIsTouched() throws IOException {
    StateTree saved = States.random(new Seed(1));
    Path checkpoint = store.save(1, saved);
    Path shard = checkpoint.resolve("shard-00000-of-00001.safetensors");
    byte[] good = Files.readAllBytes(shard);
    int dataStart = good.length - (int) saved.byteSize();
    for (int at = dataStart; at < good.length; at += 7) {
      byte[] bad = good.clone();
      bad[at] ^= 0x10;
      Files.write(shard, bad);
      assertRefused(saved);
    }
    for (int length = 0; length < good.length; length += 41) {
      Files.write(shard, Arrays.copyOf(good, length));
      assertRefused(saved);
    }
  }

  @Test
  void everyFlippedBitOfAManifestIsNoticedOrMeansNothing() throws IOException {
    StateTree saved = States.random(new Seed(1));
    Path manifest = store.save(1, saved).resolve("manifest.json");
    byte[] good = Files.readAllBytes(manifest);
    for (int at = 0; at < good.length; at += 3) {
      byte[] bad = good.clone();
      bad[at] ^= (byte) (1 << at % 8);
      Files.write(manifest, bad);
      StateTree target = States.zeroed(saved);
      try {
        assertEquals(saved.values(), store.restore(1, target));
        States.assertSame(saved, target);
      } catch (WorkFailedException e) {
        States.assertSame(States.zeroed(saved), target);
      }
    }
  }

  private void assertRefused(StateTree like) {
    StateTree target = States.zeroed(like);
    var e = assertThrows(WorkFailedException.class, () -> store.restore(1, target));
    assertTrue(e.getMessage().contains("damaged"), e.getMessage());
    States.assertSame(States.zeroed(like), target);
  }

  @Test
  void aModelOfAnotherShapeIsRefusedByName() {
    store.save(
        1,
        StateTree.of(
            List.of(States.tensor("w", DType.FLOAT32, Shape.of(2, 3), new SplittableRandom(1))),
            Map.of()));
    StateTree other =
        StateTree.of(
            List.of(States.tensor("w", DType.FLOAT32, Shape.of(3, 2), new SplittableRandom(1))),
            Map.of());
    var e = assertThrows(WorkFailedException.class, () -> store.restore(1, other));
    assertTrue(
        e.getMessage().endsWith("tensor w is FLOAT32 [2, 3] there and FLOAT32 [3, 2] in the model"),
        e.getMessage());
  }
}
