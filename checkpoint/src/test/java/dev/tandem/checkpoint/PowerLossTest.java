package dev.tandem.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.testkit.CrashFiles;
import dev.tandem.testkit.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** After a power loss at any point the store opens at the last committed checkpoint. */
class PowerLossTest {

  /** Power losses in each story. */
  private static final int LOSSES = 60;

  private static final int STORIES = 8;
  private static final int MANY_STORIES = 100;
  private static final Path FOLDER = Path.of("/checkpoints");

  /** A state of three tensors, of which one never changes and one seldom does. */
  private static StateTree state(Seed seed, long step) {
    List<TensorView> tensors = new ArrayList<>();
    tensors.add(States.tensor("weights", DType.FLOAT32, Shape.of(300), seed.derive(step).random()));
    tensors.add(
        States.tensor("seldom", DType.UINT8, Shape.of(77), seed.derive(1000 + step / 3).random()));
    tensors.add(States.tensor("frozen", DType.INT64, Shape.of(50), seed.derive(-1).random()));
    return StateTree.of(tensors, Map.of("step", Long.toString(step)));
  }

  @Test
  void theLastCommittedCheckpointIsAlwaysThere() throws Exception {
    lose(STORIES);
  }

  @Tag("slow")
  @Test
  void inManyStories() throws Exception {
    lose(MANY_STORIES);
  }

  private static void lose(int stories) throws Exception {
    Seed seed = TestSeed.of(PowerLossTest.class);
    for (int story = 0; story < stories; story++) {
      Seed own = seed.derive(story);
      SplittableRandom random = own.random();
      CheckpointOptions options =
          CheckpointOptions.DEFAULT
              .with(Retention.last(1 + random.nextInt(3)))
              .with(random.nextInt(4) == 0 ? Compression.ZSTD : Compression.NONE)
              .withIncremental(random.nextBoolean());
      CrashFiles disk = new CrashFiles();
      TreeMap<Long, Long> committedAt = new TreeMap<>();
      RankThreads.run(
          1 + random.nextInt(3),
          c -> {
            FolderCheckpointStore store =
                new FolderCheckpointStore(FOLDER, disk, c, options, line -> {});
            for (long step = 1; step <= 6; step++) {
              store.save(step, state(own, step));
              if (c.rank() == 0) {
                committedAt.put(disk.length(), step);
              }
              c.barrier();
            }
            return 0;
          });
      for (int loss = 0; loss < LOSSES; loss++) {
        long point = random.nextLong(disk.length() + 1);
        CrashFiles after = new CrashFiles(disk.cut(point, random));
        long committed =
            Optional.ofNullable(committedAt.floorEntry(point)).map(Map.Entry::getValue).orElse(0L);
        assertOpensAt(committed, after, own);
        if (loss % 20 == 0) {
          goOn(after, options, own, committed);
        }
      }
    }
  }

  /** Nothing is lost, and what is found is whole: no line tells of a damaged one. */
  private static void assertOpensAt(long committed, CrashFiles disk, Seed seed) {
    List<String> lines = new ArrayList<>();
    FolderCheckpointStore store =
        new FolderCheckpointStore(
            FOLDER, disk, Communicator.alone(), CheckpointOptions.DEFAULT, lines::add);
    StateTree target = States.zeroed(state(seed, 0));
    long step =
        store
            .restoreNewest(SlicedState.whole(target))
            .map(CheckpointStore.Restored::step)
            .orElse(0L);
    // Its mark may have reached the disk before the writer learned that it had.
    assertTrue(step == committed || step == committed + 1, step + " after " + committed);
    assertEquals(List.of(), lines);
    if (step > 0) {
      States.assertSame(state(seed, step), target);
    }
  }

  /** What a crash has left behind is in nobody's way. */
  private static void goOn(CrashFiles disk, CheckpointOptions options, Seed seed, long committed) {
    FolderCheckpointStore store =
        new FolderCheckpointStore(FOLDER, disk, Communicator.alone(), options, line -> {});
    store.save(committed + 2, state(seed, committed + 2));
    assertOpensAt(committed + 2, disk, seed);
  }
}
