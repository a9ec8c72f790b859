package dev.tandem.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFiles;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Any checkpoint opens on any number of ranks, whoever held and wrote which part of it. */
class ShardedCheckpointTest {

  private static final List<DType> TYPES = List.of(DType.values());

  @TempDir Path folder;

  private FolderCheckpointStore store(Communicator ranks, CheckpointOptions options) {
    return new FolderCheckpointStore(folder, DurableFiles.system(), ranks, options, line -> {});
  }

  /** The tensor of a rank that holds the r-th of several parts along one dimension. */
  private static Block part(Shape whole, int dimension, int rank, int ranks) {
    List<Long> offset = new ArrayList<>();
    List<Long> shape = new ArrayList<>();
    for (int d = 0; d < whole.extents().size(); d++) {
      long extent = whole.extents().get(d);
      long from = d == dimension ? extent * rank / ranks : 0;
      long to = d == dimension ? extent * (rank + 1) / ranks : extent;
      offset.add(from);
      shape.add(to - from);
    }
    return new Block(offset, shape);
  }

  /** How the tensors of a random model are spread: dimension by name, or -1 for replicas. */
  private static SlicedState spread(
      StateTree whole, Map<String, Integer> dimensions, int rank, int ranks, boolean filled) {
    List<TensorView> tensors = new ArrayList<>();
    Map<String, Slice> slices = new HashMap<>();
    for (TensorView tensor : whole.tensors().values()) {
      int dimension = dimensions.get(tensor.name());
      Block block =
          part(tensor.shape(), dimension, dimension < 0 ? 0 : rank, dimension < 0 ? 1 : ranks);
      int bytes = Math.toIntExact(block.elements() * tensor.dtype().bytes());
      TensorView mine =
          new TensorView(
              tensor.name(),
              tensor.dtype(),
              new Shape(block.shape()),
              MemorySegment.ofArray(new byte[bytes]));
      if (filled) {
        Slice.whole(tensor.shape())
            .block(tensor.shape())
            .copy(tensor.data(), block, mine.data(), tensor.dtype().bytes());
      }
      tensors.add(mine);
      if (dimension >= 0) {
        slices.put(tensor.name(), new Slice(tensor.shape(), block.offset()));
      }
    }
    return new SlicedState(StateTree.of(tensors, Map.of("step", "7")), slices);
  }

  private static Map<String, Integer> dimensions(StateTree whole, SplittableRandom random) {
    Map<String, Integer> dimensions = new HashMap<>();
    whole
        .tensors()
        .forEach((name, t) -> dimensions.put(name, random.nextInt(-1, t.shape().extents().size())));
    return dimensions;
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
    Seed seed = TestSeed.of(getClass());
    for (int round = 0; round < 40; round++) {
      SplittableRandom random = seed.derive(round).random();
      StateTree whole = model(random);
      int writers = 1 + random.nextInt(5);
      int readers = 1 + random.nextInt(5);
      Map<String, Integer> written = dimensions(whole, random);
      Map<String, Integer> read = dimensions(whole, random);
      CheckpointOptions options =
          CheckpointOptions.DEFAULT
              .with(random.nextBoolean() ? Compression.ZSTD : Compression.NONE)
              .withIncremental(random.nextBoolean());
      long step = round;
      RankThreads.run(
          writers,
          c -> store(c, options).save(step, spread(whole, written, c.rank(), writers, true)));
      RankThreads.run(
          readers,
          c -> {
            SlicedState target = spread(whole, read, c.rank(), readers, false);
            CheckpointStore.Restored restored =
                store(c, options).restoreNewest(target).orElseThrow();
            assertEquals(step, restored.step());
            assertEquals(Map.of("step", "7"), restored.values());
            States.assertSame(spread(whole, read, c.rank(), readers, true).tree(), target.tree());
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
    ExecutionException e =
        Assertions.assertThrows(
            ExecutionException.class,
            () ->
                RankThreads.run(
                    3,
                    c ->
                        // Rank 2 has what rank 1 has: the last third is nobody's.
                        store(c, CheckpointOptions.DEFAULT)
                            .save(
                                1, spread(whole, Map.of("w", 0), Math.min(1, c.rank()), 3, true))));
    assertTrue(e.getCause() instanceof WorkFailedException, e.toString());
    assertTrue(e.getMessage().contains("do not make up its shape [8, 2]"), e.getMessage());
    assertEquals(List.of(), new FolderCheckpointStore(folder, DurableFiles.system()).steps());
  }
}
