package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.collective.Determinism;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * At level {@code run} the bits of an element depend on the elements of the ranks alone: not on its
 * place, on the length of its message, on what it was fused with, or on the transport.
 */
class DeterminismTest {

  private static final int COUNT = 150_000;
  private static final List<DType> TYPES = List.of(DType.FLOAT32, DType.BFLOAT16, DType.FLOAT64);

  // All ranks of a job, and many jobs, ask for the same: made once.
  private static final Map<List<Object>, byte[]> VALUES = new ConcurrentHashMap<>();
  private static final Map<List<Object>, byte[]> EXPECTED = new ConcurrentHashMap<>();

  @AfterAll
  static void forget() {
    VALUES.clear();
    EXPECTED.clear();
    Reference.forget();
  }

  static Stream<Arguments> jobs() {
    return Arrays.stream(TestJob.Kind.values())
        .flatMap(kind -> Stream.of(2, 3, 5).map(ranks -> Arguments.of(kind, ranks)));
  }

  static Stream<Arguments> hosts() {
    return CollectivesMatrixTest.hosts();
  }

  @ParameterizedTest
  @MethodSource("jobs")
  void neitherPlaceNorLengthShowsOverAnyTransport(TestJob.Kind kind, int ranks) throws Exception {
    Seed seed = TestSeed.of(DeterminismTest.class);
    List<Integer> hosts = TestJob.hosts(kind, ranks);
    TestJob.run(kind, ranks, communicator -> check(communicator, hosts, seed));
  }

  static Stream<Arguments> moreHosts() {
    return CollectivesMatrixTest.moreHosts();
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("moreHosts")
  void neitherPlaceNorLengthShowsOnMoreHosts(List<Integer> hosts, boolean sharedSlots)
      throws Exception {
    neitherPlaceNorLengthShowsOnHosts(hosts, sharedSlots);
  }

  @ParameterizedTest
  @MethodSource("hosts")
  void neitherPlaceNorLengthShowsOnHosts(List<Integer> hosts, boolean sharedSlots)
      throws Exception {
    Seed seed = TestSeed.of(DeterminismTest.class);
    TestJob.runOnHosts(hosts, sharedSlots, communicator -> check(communicator, hosts, seed));
  }

  private static Void check(Communicator communicator, List<Integer> hosts, Seed seed) {
    for (DType type : TYPES) {
      for (ReduceOp op : List.of(ReduceOp.SUM, ReduceOp.AVERAGE)) {
        byte[] expected = expected(hosts, type, op, seed);
        byte[] mine = values(communicator.rank(), type, seed);
        // All ranks shuffle and cut alike.
        SplittableRandom random = seed.derive(type.bytes()).derive(op.name().length()).random();
        int[] order = shuffled(random);
        byte[] sent = permuted(mine, order, type.bytes());
        int from = 0;
        while (from < COUNT) {
          int length = Math.min(COUNT - from, 1 + random.nextInt(1 << random.nextInt(1, 18)));
          reduce(communicator, sent, from, length, type, op, random.nextInt(4));
          from += length;
        }
        assertArrayEquals(permuted(expected, order, type.bytes()), sent, type + " " + op);
      }
    }
    return null;
  }

  /** One message, reduced by one of the calls that all promise the same bits. */
  private static void reduce(
      Communicator communicator,
      byte[] data,
      int from,
      int length,
      DType type,
      ReduceOp op,
      int call) {
    MemorySegment message =
        MemorySegment.ofArray(data)
            .asSlice((long) from * type.bytes(), (long) length * type.bytes());
    switch (call) {
      case 0 -> {
        int size = communicator.size();
        long[] lengths = new long[size];
        for (int rank = 0; rank < size; rank++) {
          lengths[rank] = (long) (length / size + (rank < length % size ? 1 : 0)) * type.bytes();
        }
        MemorySegment block = MemorySegment.ofArray(new byte[(int) lengths[communicator.rank()]]);
        communicator.reduceScatter(message, block, lengths, type, op);
        communicator.allgather(block, message, lengths);
      }
      case 1 -> {
        communicator.reduce(message, type, op, 1);
        communicator.broadcast(message, 1);
      }
      default -> communicator.allreduce(message, type, op);
    }
  }

  /** Not to be changed. */
  private static byte[] expected(List<Integer> hosts, DType type, ReduceOp op, Seed seed) {
    return EXPECTED.computeIfAbsent(
        List.of(hosts, type, op, seed),
        key -> Reference.reduceHostByHost(hosts, all(hosts, type, seed), type, op));
  }

  private static List<byte[]> all(List<Integer> hosts, DType type, Seed seed) {
    List<byte[]> all = new ArrayList<>();
    for (int rank = 0; rank < hosts.size(); rank++) {
      all.add(values(rank, type, seed));
    }
    return all;
  }

  /** Not to be changed. */
  private static byte[] values(int rank, DType type, Seed seed) {
    return VALUES.computeIfAbsent(
        List.of(rank, type, seed),
        key -> Reference.random(seed.derive(rank).random(), type, COUNT));
  }

  private static int[] shuffled(SplittableRandom random) {
    int[] order = IntStream.range(0, COUNT).toArray();
    for (int i = COUNT - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      int swapped = order[i];
      order[i] = order[j];
      order[j] = swapped;
    }
    return order;
  }

  private static byte[] permuted(byte[] data, int[] order, int bytes) {
    byte[] result = new byte[data.length];
    for (int i = 0; i < order.length; i++) {
      System.arraycopy(data, order[i] * bytes, result, i * bytes, bytes);
    }
    return result;
  }

  @ParameterizedTest
  @EnumSource
  void aViewAtLevelFastIsRightAndKeepsTheOrderOfTheProgram(TestJob.Kind kind) throws Exception {
    List<byte[]> results =
        TestJob.run(
            kind,
            5,
            communicator -> {
              Communicator fast = communicator.at(Determinism.FAST);
              assertEquals(Determinism.FAST, fast.determinism());
              assertEquals(Determinism.RUN, communicator.determinism());
              byte[] data = Reference.data(communicator.rank(), DType.FLOAT32, 100_000);
              MemorySegment segment = MemorySegment.ofArray(data);
              Handle zero = communicator.start(members -> members.broadcast(segment, 0));
              fast.allreduce(segment, DType.FLOAT32, ReduceOp.AVERAGE);
              zero.await();
              byte[] other = Reference.data(communicator.rank(), DType.FLOAT32, 100_000);
              fast.allreduce(MemorySegment.ofArray(other), DType.FLOAT32, ReduceOp.SUM);
              fast.close();
              communicator.barrier();
              if (communicator.rank() == 0) {
                Reference.assertRightButForRounding(
                    other, 5, DType.FLOAT32, 100_000, ReduceOp.SUM, "fast");
              }
              return other;
            });
    for (byte[] result : results) {
      assertArrayEquals(results.getFirst(), result);
    }
  }
}
