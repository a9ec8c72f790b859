package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.collective.Allreduce;
import dev.tandem.comm.collective.Cost;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.transport.Traffic;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tensors that are reduced together have the bits of tensors that are reduced one by one. */
class FusedAllreduceTest {

  private static final int ROUNDS = 12;

  @ParameterizedTest
  @EnumSource
  void tensorsHaveTheBitsOfTheReference(TestJob.Kind kind) throws Exception {
    Seed seed = TestSeed.of(FusedAllreduceTest.class);
    for (int ranks : new int[] {1, 2, 3, 4}) {
      TestJob.run(
          kind,
          ranks,
          communicator -> {
            // The same cuts in all ranks.
            SplittableRandom random = seed.derive(ranks).random();
            for (int round = 0; round < ROUNDS; round++) {
              check(communicator, TestJob.hosts(kind, ranks), random);
            }
            return null;
          });
      Reference.forget();
    }
  }

  private static void check(
      Communicator communicator, List<Integer> hosts, SplittableRandom random) {
    List<DType> types = List.of(DType.values());
    DType type = types.get(random.nextInt(types.size()));
    ReduceOp op = random.nextBoolean() ? ReduceOp.SUM : ReduceOp.AVERAGE;
    int count = random.nextInt(1, random.nextBoolean() ? 100 : 300_000);
    byte[] mine = Reference.data(communicator.rank(), type, count);
    try (Arena arena = Arena.ofConfined()) {
      List<MemorySegment> tensors = cut(mine, type, random, arena);
      Traffic before = communicator.traffic();
      communicator.fusedAllreduce(tensors, type, op);
      Traffic moved = communicator.traffic().since(before);
      String what = "%s of %d %s in %d tensors".formatted(op, count, type, tensors.size());
      assertArrayEquals(Reference.reduced(hosts, type, count, op), join(tensors), what);
      Cost cost =
          Allreduce.cost(
              communicator.position(),
              mine.length,
              type,
              communicator.allreduceAlgorithm(mine.length, type, op));
      assertEquals(cost, new Cost(moved.steps(), moved.bytesSent()), what);
    }
  }

  private static List<MemorySegment> cut(
      byte[] data, DType type, SplittableRandom random, Arena arena) {
    List<MemorySegment> tensors = new ArrayList<>();
    int from = 0;
    while (from < data.length) {
      // Empty ones too, and in memory of either kind.
      int most = Math.min(data.length - from, data.length / 5 + type.bytes());
      int length = random.nextInt(most / type.bytes() + 1) * type.bytes();
      MemorySegment part = MemorySegment.ofArray(data).asSlice(from, length);
      MemorySegment tensor =
          random.nextBoolean()
              ? arena.allocate(length, 8)
              : MemorySegment.ofArray(new byte[length]);
      tensors.add(tensor.copyFrom(part));
      from += length;
    }
    return tensors;
  }

  private static byte[] join(List<MemorySegment> tensors) {
    long bytes = tensors.stream().mapToLong(MemorySegment::byteSize).sum();
    byte[] all = new byte[Math.toIntExact(bytes)];
    int offset = 0;
    for (MemorySegment tensor : tensors) {
      byte[] part = tensor.toArray(ValueLayout.JAVA_BYTE);
      System.arraycopy(part, 0, all, offset, part.length);
      offset += part.length;
    }
    return all;
  }
}
