package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.collective.AllToAll;
import dev.tandem.comm.collective.Allgather;
import dev.tandem.comm.collective.Allreduce;
import dev.tandem.comm.collective.Broadcast;
import dev.tandem.comm.collective.Cost;
import dev.tandem.comm.collective.Gather;
import dev.tandem.comm.collective.HaloExchange;
import dev.tandem.comm.collective.Reduce;
import dev.tandem.comm.collective.ReduceScatter;
import dev.tandem.comm.collective.Scatter;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every collective over every transport with 1 to 8 ranks, every type and operation, against the
 * plain reference, bit for bit; and the counted traffic against the formulas.
 */
class CollectivesMatrixTest {

  private static final int[] SMALL = {0, 1, 3, 1000};
  private static final int LARGE = (1 << 20) + 7;

  @AfterEach
  void forget() {
    Reference.forget();
  }

  static Stream<Arguments> jobs() {
    return Arrays.stream(TestJob.Kind.values())
        .flatMap(
            kind ->
                Stream.iterate(1, ranks -> ranks <= 8, ranks -> ranks + 1)
                    .map(ranks -> Arguments.of(kind, ranks)));
  }

  @ParameterizedTest
  @MethodSource("jobs")
  void smallDataOfEveryTypeAndOperation(TestJob.Kind kind, int ranks) throws Exception {
    TestJob.run(
        kind,
        ranks,
        communicator -> {
          for (int count : SMALL) {
            for (DType type : DType.values()) {
              for (ReduceOp op : ReduceOp.values()) {
                new Check(communicator, type, count).reductions(op);
              }
              new Check(communicator, type, count).movements();
            }
          }
          return null;
        });
  }

  /** Large data takes time: every job checks one type and operation, all jobs together most. */
  @ParameterizedTest
  @MethodSource("jobs")
  void largeData(TestJob.Kind kind, int ranks) throws Exception {
    List<DType> types = List.of(DType.values());
    List<ReduceOp> ops = List.of(ReduceOp.values());
    int turn = List.of(TestJob.Kind.values()).indexOf(kind) * 8 + ranks;
    DType type = types.get(turn % types.size());
    ReduceOp op = ops.get(turn % ops.size());
    TestJob.run(
        kind,
        ranks,
        communicator -> {
          new Check(communicator, type, LARGE).reductions(op);
          new Check(communicator, DType.UINT8, LARGE).movements();
          return null;
        });
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("jobs")
  void largeDataOfEveryTypeAndOperation(TestJob.Kind kind, int ranks) throws Exception {
    for (DType type : DType.values()) {
      for (ReduceOp op : ReduceOp.values()) {
        TestJob.run(
            kind,
            ranks,
            communicator -> {
              new Check(communicator, type, LARGE).reductions(op);
              return null;
            });
      }
    }
  }

  /** All collectives of one rank on one kind of data. */
  record Check(Communicator communicator, DType type, int count) {

    private byte[] of(int rank) {
      return Reference.data(rank, type, count);
    }

    private byte[] mine() {
      return of(communicator.rank());
    }

    private String what(Object what) {
      return "%s of %d %s at rank %d of %d"
          .formatted(what, count, type, communicator.rank(), communicator.size());
    }

    private void cost(String what, Cost cost, Runnable operation) {
      long before = communicator.traffic().bytesSent();
      operation.run();
      assertEquals(cost.bytesSent(), communicator.traffic().bytesSent() - before, what(what));
    }

    void reductions(ReduceOp op) {
      int size = communicator.size();
      long bytes = (long) count * type.bytes();
      byte[] expected = Reference.reduced(size, type, count, op);

      // Confined native memory, which no other thread may touch, and heap memory in turn.
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment data = arena.allocateFrom(ValueLayout.JAVA_BYTE, mine());
        cost(
            "allreduce",
            Allreduce.cost(communicator.place(), bytes, type),
            () -> communicator.allreduce(data, type, op));
        assertArrayEquals(expected, data.toArray(ValueLayout.JAVA_BYTE), what("allreduce " + op));
      }

      int root = (count + size / 2) % size;
      byte[] reduced = mine();
      cost(
          "reduce",
          Reduce.cost(communicator.place(), bytes, type, root),
          () -> communicator.reduce(MemorySegment.ofArray(reduced), type, op, root));
      boolean atRoot = communicator.rank() == root;
      assertArrayEquals(atRoot ? expected : mine(), reduced, what("reduce " + op));

      int first = start(communicator.rank());
      int end = start(communicator.rank() + 1);
      byte[] block = new byte[(end - first) * type.bytes()];
      cost(
          "reduce-scatter",
          ReduceScatter.cost(communicator.place(), bytes, type),
          () ->
              communicator.reduceScatter(
                  MemorySegment.ofArray(mine()), MemorySegment.ofArray(block), type, op));
      assertArrayEquals(
          Arrays.copyOfRange(expected, first * type.bytes(), end * type.bytes()),
          block,
          what("reduce-scatter " + op));
    }

    private int start(int rank) {
      int size = communicator.size();
      return count / size * rank + Math.min(rank, count % size);
    }

    void movements() {
      for (int root = 0; root < communicator.size(); root += Math.max(1, communicator.size() / 2)) {
        fromAndTo(root);
      }
      allgatherAndAllToAll();
      halo();
      communicator.barrier();
    }

    private void fromAndTo(int root) {
      byte[] data = mine();
      cost(
          "broadcast",
          Broadcast.cost(communicator.place(), root, data.length),
          () -> communicator.broadcast(MemorySegment.ofArray(data), root));
      assertArrayEquals(of(root), data, what("broadcast"));

      boolean atRoot = communicator.rank() == root;
      byte[] all = new byte[atRoot ? Math.toIntExact(Arrays.stream(ragged()).sum()) : 0];
      byte[] mine = raggedOf(communicator.rank());
      cost(
          "gather",
          Gather.cost(communicator.place(), ragged(), root),
          () ->
              communicator.gather(
                  MemorySegment.ofArray(mine), MemorySegment.ofArray(all), ragged(), root));
      if (atRoot) {
        assertArrayEquals(allRagged(), all, what("gather"));
      }
      byte[] back = new byte[mine.length];
      cost(
          "scatter",
          Scatter.cost(communicator.place(), ragged(), root),
          () ->
              communicator.scatter(
                  MemorySegment.ofArray(all), MemorySegment.ofArray(back), ragged(), root));
      assertArrayEquals(mine, back, what("scatter"));
    }

    /** Rank r gives its data without the last r elements. */
    private long[] ragged() {
      long[] lengths = new long[communicator.size()];
      for (int rank = 0; rank < lengths.length; rank++) {
        lengths[rank] = (long) Math.max(0, count - rank) * type.bytes();
      }
      return lengths;
    }

    private byte[] raggedOf(int rank) {
      return Arrays.copyOf(of(rank), Math.toIntExact(ragged()[rank]));
    }

    private byte[] allRagged() {
      byte[] all = new byte[Math.toIntExact(Arrays.stream(ragged()).sum())];
      int offset = 0;
      for (int rank = 0; rank < communicator.size(); rank++) {
        byte[] part = raggedOf(rank);
        System.arraycopy(part, 0, all, offset, part.length);
        offset += part.length;
      }
      return all;
    }

    private void allgatherAndAllToAll() {
      int size = communicator.size();
      byte[] all = new byte[allRagged().length];
      cost(
          "allgather",
          Allgather.cost(communicator.place(), ragged()),
          () ->
              communicator.allgather(
                  MemorySegment.ofArray(raggedOf(communicator.rank())),
                  MemorySegment.ofArray(all),
                  ragged()));
      assertArrayEquals(allRagged(), all, what("allgather"));

      int block = count / size * type.bytes();
      byte[] outgoing = Arrays.copyOf(mine(), block * size);
      byte[] incoming = new byte[block * size];
      cost(
          "all-to-all",
          AllToAll.cost(communicator.place(), block),
          () ->
              communicator.allToAll(
                  MemorySegment.ofArray(outgoing), MemorySegment.ofArray(incoming)));
      for (int rank = 0; rank < size; rank++) {
        int at = communicator.rank() * block;
        assertArrayEquals(
            Arrays.copyOfRange(of(rank), at, at + block),
            Arrays.copyOfRange(incoming, rank * block, (rank + 1) * block),
            what("all-to-all"));
      }
    }

    private void halo() {
      int rank = communicator.rank();
      byte[] fromBelow = new byte[mine().length];
      byte[] fromAbove = new byte[mine().length];
      HaloExchange.Side lower = side(rank - 1, fromBelow);
      HaloExchange.Side upper = side(rank + 1, fromAbove);
      cost(
          "halo exchange",
          HaloExchange.cost(lower, upper),
          () -> communicator.haloExchange(lower, upper));
      if (rank > 0) {
        assertArrayEquals(of(rank - 1), fromBelow, what("halo exchange"));
      }
      if (rank < communicator.size() - 1) {
        assertArrayEquals(of(rank + 1), fromAbove, what("halo exchange"));
      }
    }

    private HaloExchange.Side side(int neighbour, byte[] halo) {
      return new HaloExchange.Side(
          neighbour < 0 || neighbour >= communicator.size()
              ? OptionalInt.empty()
              : OptionalInt.of(neighbour),
          MemorySegment.ofArray(mine()),
          MemorySegment.ofArray(halo));
    }
  }
}
