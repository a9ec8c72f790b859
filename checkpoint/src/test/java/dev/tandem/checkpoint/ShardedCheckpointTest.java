package dev.tandem.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.Region;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.testkit.RandomRegions;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Any checkpoint opens on any number of ranks, whoever held and wrote which part of it. */
class ShardedCheckpointTest {

  private static final List<DType> TYPES = List.of(DType.values());

  @TempDir Path folder;

  private FolderCheckpointStore store(Communicator ranks, CheckpointOptions options) {
    return new FolderCheckpointStore(folder, DurableFiles.system(), ranks, options, line -> {});
  }

  /** What each rank holds of each tensor: regions of several blocks, or copies, or both. */
  private static List<Map<String, Region>> divided(
      StateTree whole, int ranks, SplittableRandom random) {
    List<Map<String, Region>> held = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      held.add(new HashMap<>());
    }
    for (TensorView tensor : whole.tensors().values()) {
      if (tensor.shape().extents().isEmpty() || random.nextInt(4) == 0) {
        continue;
      }
      int parts = 1 + random.nextInt(ranks);
      List<Region> regions = RandomRegions.split(random, tensor.shape(), parts);
      for (int rank = 0; rank < ranks; rank++) {
        held.get(rank).put(tensor.name(), regions.get(rank % parts));
      }
    }
    return held;
  }

  /** The state of a rank that has these regions of the tensors of a model. */
  private static SlicedState part(StateTree whole, Map<String, Region> regions, boolean filled) {
    List<TensorView> tensors = new ArrayList<>();
    for (TensorView tensor : whole.tensors().values()) {
      Region region = regions.getOrDefault(tensor.name(), Region.all(tensor.shape()));
      int size = tensor.dtype().bytes();
      byte[] bytes = new byte[Math.toIntExact(region.local().elements() * size)];
      MemorySegment own = MemorySegment.ofArray(bytes);
      if (filled) {
        region.forEachRun(
            (from, to, length) ->
                MemorySegment.copy(tensor.data(), from * size, own, to * size, length * size));
      }
      tensors.add(new TensorView(tensor.name(), tensor.dtype(), region.local(), own));
    }
    return new SlicedState(StateTree.of(tensors, Map.of("step", "7")), regions);
  }

  private static StateTree model(SplittableRandom random) {
    List<TensorView> tensors = new ArrayList<>();
    int count = 1 + random.nextInt(8);
    for (int i = 0; i < count; i++) {
      long[] shape = new long[random.nextInt(5)];
      for (int d = 0; d < shape.length; d++) {
        shape[d] = random.nextInt(7) == 0 ? 0 : 1 + random.nextInt(9);
      }
      DType type = TYPES.get(random.nextInt(TYPES.size()));
      tensors.add(States.tensor("t" + i, type, Shape.of(shape), random));
    }
    return StateTree.of(tensors, Map.of());
  }

  @Test
  void anyDivisionOpensOnAnyOther() throws Exception {
    openDivided(12);
  }

  @Tag("slow")
  @Test
  void manyDivisionsOpenOnAnyOther() throws Exception {
    openDivided(200);
  }

  private void openDivided(int rounds) throws Exception {
    Seed seed = TestSeed.of(getClass());
    for (int round = 0; round < rounds; round++) {
      SplittableRandom random = seed.derive(round).random();
      StateTree whole = model(random);
      int writers = 1 + random.nextInt(5);
      int readers = 1 + random.nextInt(5);
      List<Map<String, Region>> written = divided(whole, writers, random);
      List<Map<String, Region>> read = divided(whole, readers, random);
      CheckpointOptions options =
          CheckpointOptions.DEFAULT
              .with(random.nextBoolean() ? Compression.ZSTD : Compression.NONE)
              .withIncremental(random.nextBoolean());
      long step = round;
      RankThreads.run(
          writers,
          c -> {
            FolderCheckpointStore store = store(c, options);
            SlicedState state = part(whole, written.get(c.rank()), true);
            store.save(step, state);
            assertTrue(store.layoutIsOf(part(whole, written.get(c.rank()), true)));
            return 0;
          });
      RankThreads.run(
          readers,
          c -> {
            SlicedState target = part(whole, read.get(c.rank()), false);
            CheckpointStore.Restored restored =
                store(c, options).restoreNewest(target).orElseThrow();
            assertEquals(step, restored.step());
            assertEquals(Map.of("step", "7"), restored.values());
            States.assertSame(part(whole, read.get(c.rank()), true).tree(), target.tree());
            return 0;
          });
      assertEquals(List.of(), SavedCheckpoint.open(folder, step, DurableFiles.system()).problems());
    }
  }

  @Test
  void partsThatDoNotMakeTheWholeAreRefused() {
    StateTree whole =
        StateTree.of(
            List.of(States.tensor("w", DType.FLOAT32, Shape.of(8, 2), new SplittableRandom(1))),
            Map.of());
    Region rows = Region.all(Shape.of(8, 2));
    ExecutionException e =
        Assertions.assertThrows(
            ExecutionException.class,
            () ->
                RankThreads.run(
                    3,
                    c ->
                        // Rank 2 has what rank 1 has: the last rows are nobody's.
                        store(c, CheckpointOptions.DEFAULT)
                            .save(
                                1,
                                part(
                                    whole,
                                    Map.of(
                                        "w",
                                        rows.rows(
                                            c.rank() == 0 ? 0 : 3, 3 + 2L * Math.min(1, c.rank()))),
                                    true))));
    assertTrue(e.getCause() instanceof WorkFailedException, e.toString());
    assertTrue(e.getMessage().contains("do not make up its shape [8, 2]"), e.getMessage());
    assertEquals(List.of(), new FolderCheckpointStore(folder, DurableFiles.system()).steps());
  }
}
