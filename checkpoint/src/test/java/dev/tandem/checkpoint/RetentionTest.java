package dev.tandem.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.posix.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RetentionTest {

  @TempDir Path folder;
  private final List<String> lines = new ArrayList<>();

  private FolderCheckpointStore store(Retention retention, boolean incremental) {
    return new FolderCheckpointStore(
        folder,
        DurableFiles.system(),
        Communicator.alone(),
        CheckpointOptions.DEFAULT.with(retention).withIncremental(incremental),
        lines::add);
  }

  private static StateTree state(long changing, Map<String, String> values) {
    return StateTree.of(
        List.of(
            States.tensor("w", DType.FLOAT32, Shape.of(40), new SplittableRandom(changing)),
            States.tensor("frozen", DType.FLOAT32, Shape.of(4000), new SplittableRandom(1))),
        values);
  }

  @Test
  void theLastTheBestAndEveryFourthStay() {
    Retention retention = new Retention(2, 4, Optional.of(new Retention.Best("accuracy", true)));
    FolderCheckpointStore store = store(retention, false);
    double[] accuracy = {0, 0.1, 0.9, 0.3, 0.4, 0.5, Double.NaN, 0.7, 0.8, 0.6, 0.2};
    for (int step = 1; step <= 10; step++) {
      store.save(step, state(step, Map.of("accuracy", Double.toString(accuracy[step]))));
    }
    assertEquals(List.of(2L, 4L, 8L, 9L, 10L), store.steps());
  }

  @Test
  void theOnlyGoodOneIsNeverRemoved() throws IOException {
    FolderCheckpointStore store = store(Retention.last(1), false);
    Path first = store.save(1, state(1, Map.of()));
    // Somebody cuts off the second behind our back; it must not count as the one to keep.
    FolderCheckpointStore all = store(Retention.ALL, false);
    Path second = all.save(2, state(2, Map.of()));
    Path shard = second.resolve("shard-00000-of-00001.safetensors");
    Files.write(shard, new byte[10]);
    new Housekeeping(folder, DurableFiles.system(), Retention.last(1), lines::add).run();
    assertTrue(Files.exists(first.resolve("manifest.json")));
    StateTree target = States.zeroed(state(0, Map.of()));
    assertEquals(1, store.restoreNewest(SlicedState.whole(target)).orElseThrow().step());
    States.assertSame(state(1, Map.of()), target);
    assertEquals(2, lines.size(), lines.toString());
    assertTrue(lines.getFirst().contains("passed over step 2"), lines.toString());
    assertTrue(lines.getFirst().contains("has 10 bytes, not"), lines.toString());
    assertEquals(
        "continues from step 1 in %s, the last good checkpoint".formatted(first.getParent()),
        lines.getLast());
  }

  @Test
  void whatIsReferredToStays() throws IOException {
    FolderCheckpointStore store = store(Retention.last(2), true);
    for (int step = 1; step <= 6; step++) {
      store.save(step, state(step, Map.of()));
    }
    // Step 1 holds the tensor that never changes.
    assertEquals(List.of(1L, 5L, 6L), store.steps());
    SavedCheckpoint newest = SavedCheckpoint.open(folder, 6, DurableFiles.system());
    assertEquals(1, newest.tensors().get("frozen").unchangedSince());
    assertEquals(6, newest.tensors().get("w").unchangedSince());
    Path shard = newest.folder().resolve("shard-00000-of-00001.safetensors");
    assertTrue(Files.size(shard) < 16000, "only what changed is written");
    StateTree target = States.zeroed(state(0, Map.of()));
    store.restore(6, target);
    States.assertSame(state(6, Map.of()), target);
    assertEquals(List.of(), newest.problems());
  }

  @Test
  void aMissingShardIsPassedOver() throws IOException {
    FolderCheckpointStore store = store(Retention.ALL, false);
    store.save(1, state(1, Map.of()));
    Path second = store.save(2, state(2, Map.of()));
    Files.delete(second.resolve("shard-00000-of-00001.safetensors"));
    StateTree target = States.zeroed(state(0, Map.of()));
    assertEquals(1, store.restoreNewest(SlicedState.whole(target)).orElseThrow().step());
    States.assertSame(state(1, Map.of()), target);
    assertTrue(lines.getFirst().contains("no such file"), lines.toString());
    // A run that goes on from step 1 comes to step 2 again.
    store.save(2, state(22, Map.of()));
    store.restore(2, target);
    States.assertSame(state(22, Map.of()), target);
  }
}
