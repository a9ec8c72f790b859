package dev.tandem.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.testkit.TestSeed;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

  private static TensorView tensor(String name, DType type, Shape shape, SplittableRandom random) {
    byte[] bytes = new byte[Math.toIntExact(shape.elements() * type.bytes())];
    random.nextBytes(bytes);
    return new TensorView(name, type, shape, MemorySegment.ofArray(bytes));
  }

  private static StateTree randomTree(Seed seed) {
    SplittableRandom random = seed.random();
    List<TensorView> tensors = new ArrayList<>();
    for (DType type : DType.values()) {
      tensors.add(tensor("layer/" + type, type, Shape.of(random.nextInt(9), 3), random));
    }
    tensors.add(tensor("scalar", DType.INT64, Shape.of(), random));
    return StateTree.of(tensors, Map.of("epoch", "3", "quote", "a \"b\" \u00e9"));
  }

  private static StateTree zeroed(StateTree like) {
    return StateTree.of(
        like.tensors().values().stream()
            .map(
                t ->
                    new TensorView(
                        t.name(),
                        t.dtype(),
                        t.shape(),
                        MemorySegment.ofArray(new byte[(int) t.byteSize()])))
            .toList(),
        Map.of());
  }

  private static void assertSameTensors(StateTree expected, StateTree actual) {
    assertEquals(expected.tensors().keySet(), actual.tensors().keySet());
    expected
        .tensors()
        .forEach(
            (name, tensor) ->
                assertArrayEquals(
                    tensor.data().toArray(ValueLayout.JAVA_BYTE),
                    actual.tensors().get(name).data().toArray(ValueLayout.JAVA_BYTE),
                    name));
  }

  @Test
  void whatIsSavedComesBack() {
    Seed seed = TestSeed.of(getClass());
    for (int round = 0; round < 20; round++) {
      StateTree saved = randomTree(seed.derive(round));
      store.save(round, saved);
      StateTree restored = zeroed(saved);
      assertEquals(saved.values(), store.restore(round, restored));
      assertSameTensors(saved, restored);
    }
    assertEquals(20, store.steps().size());
  }

  @Test
  void aCommittedStepIsNeverWrittenOver() {
    StateTree first = randomTree(new Seed(1));
    store.save(5, first);
    assertThrows(WorkFailedException.class, () -> store.save(5, randomTree(new Seed(2))));
    StateTree restored = zeroed(first);
    store.restore(5, restored);
    assertSameTensors(first, restored);
    assertEquals(List.of(5L), store.steps());
  }

  @Test
  void whatIsPendingDoesNotExist() throws IOException {
    store.save(1, randomTree(new Seed(1)));
    Files.createDirectories(folder.resolve("checkpoints/step-000000002.pending"));
    assertEquals(List.of(1L), store.steps());
    store.save(2, randomTree(new Seed(2)));
    assertEquals(List.of(1L, 2L), store.steps());
  }

  @Test
  void everyFlippedByteIsNoticedAndNothingIsTouched() throws IOException {
    StateTree saved = randomTree(new Seed(1));
    Path checkpoint = store.save(1, saved);
    Path shard = checkpoint.resolve("shard-0-of-1.safetensors");
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

  private void assertRefused(StateTree like) {
    StateTree target = zeroed(like);
    var e = assertThrows(WorkFailedException.class, () -> store.restore(1, target));
    assertTrue(e.getMessage().contains("damaged"), e.getMessage());
    assertSameTensors(zeroed(like), target);
  }

  @Test
  void aModelOfAnotherShapeIsRefusedByName() {
    store.save(
        1,
        StateTree.of(
            List.of(tensor("w", DType.FLOAT32, Shape.of(2, 3), new SplittableRandom(1))),
            Map.of()));
    StateTree other =
        StateTree.of(
            List.of(tensor("w", DType.FLOAT32, Shape.of(3, 2), new SplittableRandom(1))), Map.of());
    var e = assertThrows(WorkFailedException.class, () -> store.restore(1, other));
    assertTrue(
        e.getMessage().endsWith("tensor w is FLOAT32 [2, 3] there and FLOAT32 [3, 2] in the model"),
        e.getMessage());
  }
}
