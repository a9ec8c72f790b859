package dev.tandem.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Arrival;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackgroundCheckpointsTest {

  @TempDir Path folder;
  private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

  private BackgroundCheckpoints checkpoints(
      Communicator ranks, BackgroundCheckpoints.Level... levels) {
    return new BackgroundCheckpoints(
        ranks, List.of(levels), DurableFiles.system(), lines::add, cost -> {});
  }

  private BackgroundCheckpoints.Level level(String name, int every, CheckpointOptions options) {
    return new BackgroundCheckpoints.Level(folder.resolve(name), every, options);
  }

  private static StateTree state(long step) {
    return StateTree.of(
        List.of(
            States.tensor("w", DType.FLOAT32, Shape.of(700, 1000), new Seed(step).random()),
            States.tensor("frozen", DType.FLOAT32, Shape.of(1001), new SplittableRandom(1)),
            States.tensor("bytes", DType.UINT8, Shape.of(33), new Seed(-step).random())),
        Map.of("step", Long.toString(step)));
  }

  @Test
  void theStateMayChangeAsSoonAsSaveReturns() throws Exception {
    for (boolean incremental : new boolean[] {false, true}) {
      String name = "incremental-" + incremental;
      RankThreads.run(
          2,
          c -> {
            CheckpointOptions options = CheckpointOptions.DEFAULT.withIncremental(incremental);
            try (BackgroundCheckpoints store = checkpoints(c, level(name, 1, options))) {
              StateTree live = States.zeroed(state(0));
              for (long step = 1; step <= 5; step++) {
                // The same memory all the time, as a network's parameters are.
                for (var tensor : state(step).tensors().values()) {
                  live.tensors().get(tensor.name()).data().copyFrom(tensor.data());
                }
                store.save(step, live);
              }
              store.await();
              for (long step = 1; step <= 5; step++) {
                StateTree target = States.zeroed(live);
                store.restore(step, target);
                States.assertSame(state(step), target);
              }
            }
            return 0;
          });
    }
    assertEquals(List.of(), lines);
  }

  /** A state that a device copies to memory of its own, which takes one at a time. */
  private static final class Arriving implements Arrival {
    private final StateTree there = States.zeroed(state(0));
    private final Semaphore free = new Semaphore(1);
    private long under;

    /** The copy of this step's state has begun. */
    SlicedState of(long step) {
      free.acquireUninterruptibly();
      under = step;
      StateTree tree = StateTree.of(List.copyOf(there.tensors().values()), state(step).values());
      return new SlicedState(tree, Map.of(), this);
    }

    @Override
    public void await() {
      for (var tensor : state(under).tensors().values()) {
        there.tensors().get(tensor.name()).data().copyFrom(tensor.data());
      }
    }

    @Override
    public void done() {
      there.tensors().values().forEach(tensor -> tensor.data().fill((byte) 0));
      free.release();
    }
  }

  @Test
  void statesThatAreOnTheirWayAreCopiedWhenTheyAreThere() throws Exception {
    for (boolean incremental : new boolean[] {false, true}) {
      CheckpointOptions options = CheckpointOptions.DEFAULT.withIncremental(incremental);
      String name = "arriving-" + incremental;
      RankThreads.run(
          2,
          c -> {
            Arriving state = new Arriving();
            BackgroundCheckpoints.Level seldom =
                level(name + "-seldom", incremental ? 1 : 2, options);
            try (BackgroundCheckpoints store = checkpoints(c, seldom)) {
              for (long step = 1; step <= 5; step++) {
                store.save(step, state.of(step));
              }
              store.await();
              assertEquals(
                  incremental ? List.of(1L, 2L, 3L, 4L, 5L) : List.of(1L, 3L, 5L), store.steps());
              for (long step : store.steps()) {
                StateTree target = States.zeroed(state(0));
                store.restore(step, target);
                States.assertSame(state(step), target);
              }
            }
            assertEquals(1, state.free.availablePermits());
            return 0;
          });
    }
    assertEquals(List.of(), lines);
  }

  @Test
  void levelsHaveTheirOwnFrequencyAndTheNewestOfAllIsRestored() throws Exception {
    BackgroundCheckpoints.Level near =
        level("near", 1, CheckpointOptions.DEFAULT.with(Retention.last(1)));
    BackgroundCheckpoints.Level far = level("far", 3, CheckpointOptions.DEFAULT);
    RankThreads.run(
        2,
        c -> {
          try (BackgroundCheckpoints store = checkpoints(c, near, far)) {
            for (long step = 1; step <= 8; step++) {
              store.save(step, state(step));
            }
            assertEquals(List.of(1L, 4L, 7L, 8L), store.steps());
          }
          return 0;
        });
    // The nearer level breaks; the farther one is what remains.
    Files.delete(folder.resolve("near/step-000000008/shard-00001-of-00002.safetensors"));
    RankThreads.run(
        3,
        c -> {
          try (BackgroundCheckpoints store = checkpoints(c, near, far)) {
            StateTree target = States.zeroed(state(0));
            assertEquals(7, store.restoreNewest(SlicedState.whole(target)).orElseThrow().step());
            States.assertSame(state(7), target);
          }
          return 0;
        });
    assertEquals(2, lines.size(), lines.toString());
  }

  @Test
  void aFullDiskIsOneLineAndTheLastGoodCheckpointStays() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    assumeTrue(mount(disk), "only root may mount a small disk");
    try {
      RankThreads.run(
          2,
          c -> {
            try (BackgroundCheckpoints store =
                checkpoints(c, level("disk/run", 1, CheckpointOptions.DEFAULT))) {
              store.save(1, state(1));
              store.await();
              store.save(2, state(2));
              store.save(3, state(3));
              WorkFailedException e = assertThrows(WorkFailedException.class, store::await);
              assertTrue(e.getMessage().contains("the disk is full"), e.getMessage());
              StateTree target = States.zeroed(state(0));
              assertEquals(1, store.restoreNewest(SlicedState.whole(target)).orElseThrow().step());
              States.assertSame(state(1), target);
            }
            return 0;
          });
      assertEquals(2, lines.size(), lines.toString());
      assertTrue(lines.getFirst().startsWith("the checkpoint of step 2 was not saved: rank "));
      assertTrue(lines.getFirst().endsWith("the last good checkpoint stays"), lines.getFirst());
    } finally {
      new ProcessBuilder("umount", "-l", disk.toString()).start().waitFor();
    }
  }

  private static boolean mount(Path disk) throws IOException, InterruptedException {
    boolean mounted =
        new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk.toString())
                .start()
                .waitFor()
            == 0;
    if (!mounted) {
      System.out.println("skipped: only root may mount a small disk");
    }
    return mounted;
  }
}
