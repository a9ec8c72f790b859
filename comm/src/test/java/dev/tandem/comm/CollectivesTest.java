package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.comm.collective.Allreduce;
import dev.tandem.comm.collective.Cost;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.transport.Traffic;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds over every transport. */
class CollectivesTest {

  private static final int[] SIZES = {0, 1, 3, 1000, (1 << 18) + 7};
  private static final Seed SEED = new Seed(11);

  private static float[] data(int rank, int count) {
    SplittableRandom random = SEED.derive(rank).derive(count).random();
    float[] data = new float[count];
    for (int i = 0; i < count; i++) {
      data[i] = (float) random.nextDouble(-1, 1) * (1 << random.nextInt(20));
    }
    return data;
  }

  private static float[] rankOrderedSum(int ranks, int count) {
    float[] sum = data(0, count);
    for (int rank = 1; rank < ranks; rank++) {
      float[] next = data(rank, count);
      for (int i = 0; i < count; i++) {
        sum[i] += next[i];
      }
    }
    return sum;
  }

  @ParameterizedTest
  @EnumSource
  void allreduceSumsInRankOrderBitForBit(TestJob.Kind kind) throws Exception {
    for (int ranks = 1; ranks <= 5; ranks++) {
      int size = ranks;
      List<float[][]> results =
          TestJob.run(
              kind,
              ranks,
              communicator -> {
                float[][] sums = new float[SIZES.length][];
                for (int i = 0; i < SIZES.length; i++) {
                  // Heap, confined and shared memory in turn: all must do.
                  sums[i] = data(communicator.rank(), SIZES[i]);
                  if (i % 2 == 0) {
                    communicator.allreduce(
                        MemorySegment.ofArray(sums[i]), DType.FLOAT32, ReduceOp.SUM);
                  } else {
                    try (Arena arena = Arena.ofConfined()) {
                      MemorySegment copy = arena.allocateFrom(ValueLayout.JAVA_FLOAT, sums[i]);
                      communicator.allreduce(copy, DType.FLOAT32, ReduceOp.SUM);
                      sums[i] = copy.toArray(ValueLayout.JAVA_FLOAT);
                    }
                  }
                }
                return sums;
              });
      for (int i = 0; i < SIZES.length; i++) {
        float[] expected = rankOrderedSum(size, SIZES[i]);
        for (float[][] result : results) {
          assertArrayEquals(expected, result[i], "ranks " + ranks + " size " + SIZES[i]);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void broadcastAllgatherAndBarrierFromEveryRoot(TestJob.Kind kind) throws Exception {
    for (int ranks = 1; ranks <= 5; ranks++) {
      int size = ranks;
      TestJob.run(
          kind,
          ranks,
          communicator -> {
            for (int count : SIZES) {
              for (int root = 0; root < size; root++) {
                float[] mine = data(communicator.rank(), count);
                communicator.broadcast(MemorySegment.ofArray(mine), root);
                assertArrayEquals(data(root, count), mine);
              }
              float[] all = new float[count * size];
              communicator.allgather(
                  MemorySegment.ofArray(data(communicator.rank(), count)),
                  MemorySegment.ofArray(all));
              for (int rank = 0; rank < size; rank++) {
                assertArrayEquals(
                    data(rank, count), Arrays.copyOfRange(all, rank * count, (rank + 1) * count));
              }
              communicator.barrier();
            }
            return null;
          });
    }
  }

  @ParameterizedTest
  @EnumSource
  void trafficIsWhatTheFormulaSays(TestJob.Kind kind) throws Exception {
    for (int ranks = 1; ranks <= 4; ranks++) {
      int size = ranks;
      TestJob.run(
          kind,
          ranks,
          communicator -> {
            for (int count : SIZES) {
              Traffic before = communicator.traffic();
              communicator.allreduce(
                  MemorySegment.ofArray(new float[count]), DType.FLOAT32, ReduceOp.SUM);
              Traffic moved = communicator.traffic().since(before);
              Cost cost = Allreduce.cost(size, communicator.rank(), 4L * count, DType.FLOAT32);
              assertEquals(cost.bytesSent(), moved.bytesSent(), "ranks " + size + " of " + count);
              assertEquals(cost.steps(), moved.messagesSent());
            }
            return null;
          });
    }
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
                      float[] data = new float[10 + communicator.rank()];
                      communicator.allreduce(
                          MemorySegment.ofArray(data), DType.FLOAT32, ReduceOp.SUM);
                      return null;
                    }));
    assertEquals(
        "rank 1 sent 44 bytes where 40 were expected: the ranks call different operations",
        e.getCause().getMessage());
  }
}
