package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.collective.Collectives;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.PeerLostException;
import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CommunicatorTest {

  private static void sum(Collectives collectives, long[] data) {
    collectives.allreduce(MemorySegment.ofArray(data), DType.INT64, ReduceOp.SUM);
  }

  @Test
  void aloneEverythingIsDoneAtOnce() throws Exception {
    try (Communicator alone = Communicator.join()) {
      long[] data = {3, 4};
      sum(alone, data);
      alone.broadcast(MemorySegment.ofArray(data), 0);
      alone.barrier();
      assertArrayEquals(new long[] {3, 4}, data);
      assertEquals(1, alone.size());
      assertThrows(
          IllegalArgumentException.class, () -> alone.broadcast(MemorySegment.ofArray(data), 1));
      assertThrows(
          IllegalArgumentException.class,
          () -> alone.allreduce(MemorySegment.ofArray(new byte[3]), DType.INT64, ReduceOp.SUM));
    }
  }

  @ParameterizedTest
  @EnumSource
  void messagesBetweenTwoKeepTheirOrder(TestJob.Kind kind) throws Exception {
    TestJob.run(
        kind,
        3,
        communicator -> {
          int next = (communicator.rank() + 1) % 3;
          int previous = (communicator.rank() + 2) % 3;
          for (long i = 0; i < 100; i++) {
            communicator.send(MemorySegment.ofArray(new long[] {i}), next);
          }
          for (long i = 0; i < 100; i++) {
            long[] got = new long[1];
            communicator.receive(MemorySegment.ofArray(got), previous);
            assertEquals(i, got[0]);
          }
          return null;
        });
  }

  @ParameterizedTest
  @EnumSource
  void differentLengthsAreAnErrorNotAHang(TestJob.Kind kind) {
    ExecutionException e =
        assertThrows(
            ExecutionException.class,
            () ->
                TestJob.run(
                    kind,
                    2,
                    communicator -> {
                      sum(communicator, new long[10 + communicator.rank()]);
                      return null;
                    }));
    String message =
        switch (kind) {
          case THREADS, TCP, HYBRID ->
              "rank 1 sent 88 bytes where 80 were expected: the ranks call different operations";
          case THREADS_WITH_BOARD, SHARED_MEMORY ->
              "members 0 and 1 of a group call different operations, or with different lengths";
        };
    assertEquals(message, e.getCause().getMessage());
  }

  @ParameterizedTest
  @EnumSource
  void whoLeavesIsNamedByAllWhoNeedIt(TestJob.Kind kind) throws Exception {
    List<Integer> lost =
        TestJob.run(
            kind,
            4,
            communicator -> {
              if (communicator.rank() == 2) {
                sum(communicator, new long[1000]);
                return 2;
              }
              PeerLostException e =
                  assertThrows(
                      PeerLostException.class,
                      () -> {
                        while (true) {
                          sum(communicator, new long[1000]);
                        }
                      });
              assertThrows(PeerLostException.class, communicator::barrier);
              return e.lostRank();
            });
    assertEquals(List.of(2, 2, 2, 2), lost);
  }

  @ParameterizedTest
  @EnumSource
  void startedOperationsFinishInOrder(TestJob.Kind kind) throws Exception {
    TestJob.run(
        kind,
        3,
        communicator -> {
          List<Handle> handles = new ArrayList<>();
          List<long[]> results = new ArrayList<>();
          for (int i = 0; i < 50; i++) {
            long[] data = new long[i * 10];
            Arrays.fill(data, i + communicator.rank());
            results.add(data);
            handles.add(communicator.start(group -> sum(group, data)));
          }
          long[] after = {1};
          sum(communicator, after);
          assertEquals(3, after[0]);
          for (int i = 0; i < 50; i++) {
            assertTrue(handles.get(i).test());
            assertTrue(handles.get(i).await(Duration.ZERO));
            handles.get(i).await();
            long expected = 3L * i + 3;
            assertTrue(Arrays.stream(results.get(i)).allMatch(value -> value == expected));
          }
          return null;
        });
  }

  @Test
  void aWaitWithATimeoutEndsAndTheOperationGoesOn() throws Exception {
    List<Communicator> two = Communicator.threads(2);
    long[] data = {5};
    Handle handle = two.get(0).start(group -> sum(group, data));
    assertFalse(handle.await(Duration.ofMillis(20)));
    assertFalse(handle.test());
    long[] other = {6};
    sum(two.get(1), other);
    handle.await();
    assertEquals(11, data[0]);
    two.forEach(Communicator::close);
  }

  @ParameterizedTest
  @EnumSource
  void groupsOverlapAndProgressIndependently(TestJob.Kind kind) throws Exception {
    Seed seed = TestSeed.of(CommunicatorTest.class);
    TestJob.run(
        kind,
        4,
        communicator -> {
          int rank = communicator.rank();
          List<int[]> plans =
              List.of(new int[] {0, 1, 2, 3}, new int[] {1, 3}, new int[] {3, 2, 0});
          List<Communicator> groups = new ArrayList<>();
          for (int[] plan : plans) {
            if (IntStream.of(plan).anyMatch(member -> member == rank)) {
              groups.add(communicator.group(plan));
            }
          }
          // Every rank serves its groups in an order of its own: no group may hold up another.
          SplittableRandom random = seed.derive(rank).random();
          List<Handle> handles = new ArrayList<>();
          List<long[]> results = new ArrayList<>();
          List<Integer> sizes = new ArrayList<>();
          int[] left = new int[groups.size()];
          Arrays.fill(left, 30);
          while (IntStream.of(left).sum() > 0) {
            int choice = random.nextInt(groups.size());
            if (left[choice] > 0) {
              left[choice]--;
              Communicator group = groups.get(choice);
              long[] data = new long[left[choice] * 700 + 1];
              Arrays.fill(data, 1 + group.rank());
              handles.add(group.start(members -> sum(members, data)));
              results.add(data);
              sizes.add(group.size());
            }
          }
          for (int i = 0; i < handles.size(); i++) {
            handles.get(i).await();
            long expected = sizes.get(i) * (sizes.get(i) + 1L) / 2;
            assertTrue(Arrays.stream(results.get(i)).allMatch(value -> value == expected));
          }
          groups.forEach(Communicator::close);
          communicator.barrier();
          return null;
        });
  }

  /** One elastic sum or average. */
  private record Elastic(int shards, DType type, ReduceOp op, int count) {

    byte[] at(Communicator communicator) {
      int bytes = count * type.bytes();
      int ranks = communicator.size();
      int first = run(communicator.rank(), ranks);
      int end = run(communicator.rank() + 1, ranks);
      byte[] held = new byte[(end - first) * bytes];
      for (int shard = first; shard < end; shard++) {
        byte[] data = Reference.data(shard, type, count);
        System.arraycopy(data, 0, held, (shard - first) * bytes, bytes);
      }
      byte[] result = new byte[bytes];
      communicator.elasticAllreduce(
          MemorySegment.ofArray(held), shards, MemorySegment.ofArray(result), type, op);
      return result;
    }

    private int run(int rank, int ranks) {
      return shards / ranks * rank + Math.min(rank, shards % ranks);
    }

    /** One after the other. */
    static List<byte[]> all(Communicator communicator, List<Elastic> operations) {
      return operations.stream().map(operation -> operation.at(communicator)).toList();
    }

    static void assertSame(
        List<Elastic> operations, List<byte[]> expected, List<List<byte[]>> ofRanks, String where) {
      for (List<byte[]> ofRank : ofRanks) {
        for (int i = 0; i < operations.size(); i++) {
          assertArrayEquals(expected.get(i), ofRank.get(i), where + " " + operations.get(i));
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void elasticGivesTheSameBitsForAnyNumberOfRanks(TestJob.Kind kind) throws Exception {
    List<Elastic> operations = new ArrayList<>();
    for (int shards : new int[] {1, 5, 8, 12}) {
      for (DType type : new DType[] {DType.FLOAT32, DType.BFLOAT16, DType.FLOAT64}) {
        for (ReduceOp op : new ReduceOp[] {ReduceOp.SUM, ReduceOp.AVERAGE}) {
          operations.add(new Elastic(shards, type, op, shards % 2 == 0 ? 501 : 5001));
        }
      }
    }
    List<byte[]> alone =
        TestJob.run(kind, 1, communicator -> Elastic.all(communicator, operations)).getFirst();
    for (int ranks : new int[] {2, 3, 4, 8}) {
      List<List<byte[]>> results =
          TestJob.run(kind, ranks, communicator -> Elastic.all(communicator, operations));
      Elastic.assertSame(operations, alone, results, ranks + " ranks");
    }
  }

  @Test
  void elasticGivesTheSameBitsOnAnyHosts() throws Exception {
    List<Elastic> operations = new ArrayList<>();
    for (int count : new int[] {51, 5001}) {
      for (DType type : new DType[] {DType.FLOAT32, DType.BFLOAT16, DType.UINT8}) {
        operations.add(new Elastic(12, type, ReduceOp.AVERAGE, count));
      }
    }
    List<byte[]> alone =
        TestJob.run(TestJob.Kind.THREADS, 1, communicator -> Elastic.all(communicator, operations))
            .getFirst();
    for (List<Integer> hosts :
        List.of(
            List.of(0, 1),
            List.of(0, 0, 1),
            List.of(0, 1, 1, 0),
            List.of(0, 0, 0, 1, 1, 2, 1, 2))) {
      for (boolean boards : new boolean[] {true, false}) {
        List<List<byte[]>> results =
            TestJob.runOnHosts(
                hosts, boards, communicator -> Elastic.all(communicator, operations));
        Elastic.assertSame(operations, alone, results, "hosts " + hosts);
      }
    }
  }
}
