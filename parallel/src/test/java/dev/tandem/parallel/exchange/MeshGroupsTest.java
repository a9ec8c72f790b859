package dev.tandem.parallel.exchange;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.nn.spec.Transfer;
import dev.tandem.parallel.exchange.MeshGroups.Use;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Groups along axes of a mesh, with ranks as threads. */
class MeshGroupsTest {

  private static final Mesh MESH =
      Mesh.of(new Mesh.Axis(Mesh.DATA, 2), new Mesh.Axis("height", 2), new Mesh.Axis("filter", 3));

  private interface Program {
    void run(Communicator communicator) throws Exception;
  }

  private static void onAll(int size, Program program) throws Exception {
    List<FutureTask<Void>> ranks = new ArrayList<>();
    for (Communicator communicator : Communicator.threads(size)) {
      FutureTask<Void> rank =
          new FutureTask<>(
              () -> {
                try (communicator) {
                  program.run(communicator);
                }
                return null;
              });
      Thread.ofPlatform().daemon().start(rank);
      ranks.add(rank);
    }
    Watchdog.within(
        Duration.ofMinutes(1),
        () -> {
          for (FutureTask<Void> rank : ranks) {
            rank.get();
          }
          return null;
        });
  }

  @Test
  void everyRankGetsTheGroupsThatItAsksForInAnyOrder() throws Exception {
    onAll(
        MESH.size(),
        communicator -> {
          try (MeshGroups groups = new MeshGroups(communicator, MESH)) {
            boolean odd = communicator.rank() % 2 == 1;
            Set<String> first = odd ? Set.of("height") : Set.of(Mesh.DATA, "filter");
            Set<String> second = odd ? Set.of(Mesh.DATA, "filter") : Set.of("height");
            groups.need(Use.GRADIENTS, first);
            groups.need(Use.GRADIENTS, second);
            groups.need(Use.STATISTICS, Set.of());
            if (odd) {
              groups.need(Use.GRADIENTS, Set.of("filter", "width"));
            }
            groups.form();
            assertMembers(communicator, groups, Use.GRADIENTS, Set.of("height"));
            assertMembers(communicator, groups, Use.GRADIENTS, Set.of(Mesh.DATA, "filter"));
            assertMembers(communicator, groups, Use.GRADIENTS, Set.of("filter"));
            assertMembers(communicator, groups, Use.STATISTICS, Set.of());
            assertThrows(
                IllegalStateException.class, () -> groups.along(Use.EXCHANGE, Set.of("height")));
            assertThrows(
                IllegalStateException.class, () -> groups.need(Use.STATISTICS, Set.of("height")));
          }
        });
  }

  private static void assertMembers(
      Communicator communicator, MeshGroups groups, Use use, Set<String> axes) {
    Communicator group = groups.along(use, axes);
    List<Integer> expected = MESH.group(communicator.rank(), axes);
    int[] members = new int[group.size()];
    group.allgather(
        MemorySegment.ofArray(new int[] {communicator.rank()}), MemorySegment.ofArray(members));
    assertArrayEquals(expected.stream().mapToInt(Integer::intValue).toArray(), members);
  }

  @Test
  void transfersMoveAlongTheirAxes() throws Exception {
    onAll(
        MESH.size(),
        communicator -> {
          try (MeshGroups groups = new MeshGroups(communicator, MESH)) {
            Transfer filter = groups.transfer(Set.of("filter"));
            assertEquals(3, filter.size());
            assertEquals(MESH.coordinate(communicator.rank(), "filter"), filter.rank());
            double[] one = {communicator.rank()};
            assertThrows(
                IllegalStateException.class,
                () -> filter.allreduce(MemorySegment.ofArray(one), DType.FLOAT64));
            groups.form();
            int first = communicator.rank() - filter.rank();
            filter.allreduce(MemorySegment.ofArray(one), DType.FLOAT64);
            assertEquals(3 * first + 3, one[0]);

            int next = (filter.rank() + 1) % 3;
            int before = (filter.rank() + 2) % 3;
            int[] got = new int[1];
            filter.exchange(
                List.of(next),
                List.of(MemorySegment.ofArray(new int[] {communicator.rank()})),
                List.of(before),
                List.of(MemorySegment.ofArray(got)));
            assertEquals(first + before, got[0]);

            float[] blocks = {1, 2, 2, 3, 3, 3};
            float[] mine = new float[filter.rank() + 1];
            long[] lengths = {4, 8, 12};
            filter.reduceScatter(
                MemorySegment.ofArray(blocks), MemorySegment.ofArray(mine), lengths, DType.FLOAT32);
            for (float value : mine) {
              assertEquals(3f * (filter.rank() + 1), value);
            }
            float[] all = new float[6];
            filter.allgather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all), lengths);
            assertArrayEquals(new float[] {3, 6, 6, 9, 9, 9}, all);
          }
        });
  }

  @Test
  void meshAndRanksMustFit() throws Exception {
    onAll(
        2,
        communicator -> {
          assertThrows(IllegalArgumentException.class, () -> new MeshGroups(communicator, MESH));
        });
  }
}
