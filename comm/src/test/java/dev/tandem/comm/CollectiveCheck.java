package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.collective.AllToAll;
import dev.tandem.comm.collective.Allgather;
import dev.tandem.comm.collective.Allreduce;
import dev.tandem.comm.collective.AllreduceAlgorithm;
import dev.tandem.comm.collective.Barrier;
import dev.tandem.comm.collective.Broadcast;
import dev.tandem.comm.collective.Cost;
import dev.tandem.comm.collective.Determinism;
import dev.tandem.comm.collective.ElasticAllreduce;
import dev.tandem.comm.collective.Gather;
import dev.tandem.comm.collective.Reduce;
import dev.tandem.comm.collective.ReduceScatter;
import dev.tandem.comm.collective.Scatter;
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
import java.util.zip.CRC32C;

/**
 * All collectives of one rank on one kind of data, against the plain reference, bit for bit, and
 * their counted steps and bytes against the formulas.
 *
 * @param hosts the number of every rank's host
 */
record CollectiveCheck(Communicator communicator, List<Integer> hosts, DType type, int count) {

  /** Large arrays are compared quickly, and again only to say where they differ. */
  private static void assertBits(byte[] expected, byte[] actual, String what) {
    if (!Arrays.equals(expected, actual)) {
      assertArrayEquals(expected, actual, what);
    }
  }

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
    Traffic before = communicator.traffic();
    operation.run();
    Traffic moved = communicator.traffic().since(before);
    assertEquals(cost.bytesSent(), moved.bytesSent(), what("bytes of " + what));
    assertEquals(cost.steps(), moved.steps(), what("steps of " + what));
  }

  void reductions(ReduceOp op) {
    int size = communicator.size();
    long bytes = (long) count * type.bytes();
    byte[] expected = Reference.reduced(hosts, type, count, op);

    // Confined native memory, which no other thread may touch, and heap memory in turn.
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocateFrom(ValueLayout.JAVA_BYTE, mine());
      cost(
          "allreduce",
          Allreduce.cost(
              communicator.position(),
              bytes,
              type,
              communicator.allreduceAlgorithm(bytes, type, op)),
          () -> communicator.allreduce(data, type, op));
      assertBits(expected, data.toArray(ValueLayout.JAVA_BYTE), what("allreduce " + op));
    }

    int root = (count + size / 2) % size;
    byte[] reduced = mine();
    cost(
        "reduce",
        Reduce.cost(communicator.position(), bytes, type, root),
        () -> communicator.reduce(MemorySegment.ofArray(reduced), type, op, root));
    boolean atRoot = communicator.rank() == root;
    assertBits(atRoot ? expected : mine(), reduced, what("reduce " + op));

    long[] lengths = uneven();
    int first = Math.toIntExact(Arrays.stream(lengths).limit(communicator.rank()).sum());
    byte[] block = new byte[Math.toIntExact(lengths[communicator.rank()])];
    cost(
        "reduce-scatter",
        ReduceScatter.cost(communicator.position(), lengths),
        () ->
            communicator.reduceScatter(
                MemorySegment.ofArray(mine()), MemorySegment.ofArray(block), lengths, type, op));
    assertBits(
        Arrays.copyOfRange(expected, first, first + block.length),
        block,
        what("reduce-scatter " + op));
  }

  /** Blocks of the data, some of them empty. */
  private long[] uneven() {
    SplittableRandom random = new Seed(communicator.size()).derive(count).random();
    int[] ends = random.ints(communicator.size(), 0, count + 1).sorted().toArray();
    ends[communicator.size() - 1] = count;
    long[] lengths = new long[communicator.size()];
    for (int rank = 0; rank < lengths.length; rank++) {
      lengths[rank] = (long) (ends[rank] - (rank == 0 ? 0 : ends[rank - 1])) * type.bytes();
    }
    return lengths;
  }

  /** Every algorithm of allreduce that applies, and the elastic one. */
  void algorithms(ReduceOp op) {
    for (AllreduceAlgorithm algorithm : AllreduceAlgorithm.values()) {
      if (communicator.size() > 1 && algorithm.appliesTo(communicator.position())) {
        algorithm(op, algorithm);
      }
    }
    elastic(op);
  }

  private void algorithm(ReduceOp op, AllreduceAlgorithm algorithm) {
    boolean bytesOnAverage = type == DType.UINT8 && op == ReduceOp.AVERAGE;
    AllreduceAlgorithm used =
        bytesOnAverage
                && algorithm != AllreduceAlgorithm.FLAT
                && algorithm != AllreduceAlgorithm.GATHERED
            ? AllreduceAlgorithm.DIRECT
            : algorithm;
    byte[] data = mine();
    cost(
        algorithm.code(),
        Allreduce.cost(communicator.position(), data.length, type, used),
        () -> communicator.allreduce(MemorySegment.ofArray(data), type, op, algorithm));
    if (algorithm.keeps(Determinism.RUN)) {
      assertBits(Reference.reduced(hosts, type, count, op), data, what(algorithm + " " + op));
    } else {
      if (communicator.rank() == 0) {
        Reference.assertRightButForRounding(
            data, communicator.size(), type, count, op, what(algorithm + " " + op));
      }
      sameEverywhere(data, algorithm + " " + op);
    }
  }

  private void sameEverywhere(byte[] data, String operation) {
    CRC32C checksum = new CRC32C();
    checksum.update(data);
    long[] all = new long[communicator.size()];
    communicator.allgather(
        MemorySegment.ofArray(new long[] {checksum.getValue()}), MemorySegment.ofArray(all));
    assertEquals(1, Arrays.stream(all).distinct().count(), what("equal bits of " + operation));
  }

  private void elastic(ReduceOp op) {
    int shards = communicator.size() + 2;
    int first = run(communicator.rank(), shards);
    int end = run(communicator.rank() + 1, shards);
    int bytes = count * type.bytes();
    byte[] held = new byte[(end - first) * bytes];
    for (int shard = first; shard < end; shard++) {
      System.arraycopy(of(shard), 0, held, (shard - first) * bytes, bytes);
    }
    byte[] result = new byte[bytes];
    cost(
        "elastic allreduce",
        ElasticAllreduce.cost(communicator.position(), shards, bytes, type, op),
        () ->
            communicator.elasticAllreduce(
                MemorySegment.ofArray(held), shards, MemorySegment.ofArray(result), type, op));
    assertBits(Reference.elastic(shards, type, count, op), result, what("elastic allreduce " + op));
  }

  private int run(int rank, int shards) {
    int size = communicator.size();
    return shards / size * rank + Math.min(rank, shards % size);
  }

  void movements() {
    for (int root = 0; root < communicator.size(); root += Math.max(1, communicator.size() / 2)) {
      fromAndTo(root);
    }
    allgatherAndAllToAll();
    cost("barrier", Barrier.cost(communicator.position()), communicator::barrier);
  }

  private void fromAndTo(int root) {
    byte[] data = mine();
    cost(
        "broadcast",
        Broadcast.cost(communicator.position(), root, data.length),
        () -> communicator.broadcast(MemorySegment.ofArray(data), root));
    assertBits(of(root), data, what("broadcast"));

    boolean atRoot = communicator.rank() == root;
    byte[] all = new byte[atRoot ? Math.toIntExact(Arrays.stream(ragged()).sum()) : 0];
    byte[] mine = raggedOf(communicator.rank());
    cost(
        "gather",
        Gather.cost(communicator.position(), ragged(), root),
        () ->
            communicator.gather(
                MemorySegment.ofArray(mine), MemorySegment.ofArray(all), ragged(), root));
    if (atRoot) {
      assertBits(allRagged(), all, what("gather"));
    }
    byte[] back = new byte[mine.length];
    cost(
        "scatter",
        Scatter.cost(communicator.position(), ragged(), root),
        () ->
            communicator.scatter(
                MemorySegment.ofArray(all), MemorySegment.ofArray(back), ragged(), root));
    assertBits(mine, back, what("scatter"));
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
        Allgather.cost(communicator.position(), ragged()),
        () ->
            communicator.allgather(
                MemorySegment.ofArray(raggedOf(communicator.rank())),
                MemorySegment.ofArray(all),
                ragged()));
    assertBits(allRagged(), all, what("allgather"));

    int block = count / size * type.bytes();
    byte[] outgoing = Arrays.copyOf(mine(), block * size);
    byte[] incoming = new byte[block * size];
    cost(
        "all-to-all",
        AllToAll.cost(communicator.position(), block),
        () ->
            communicator.allToAll(
                MemorySegment.ofArray(outgoing), MemorySegment.ofArray(incoming)));
    for (int rank = 0; rank < size; rank++) {
      int at = communicator.rank() * block;
      assertBits(
          Arrays.copyOfRange(of(rank), at, at + block),
          Arrays.copyOfRange(incoming, rank * block, (rank + 1) * block),
          what("all-to-all"));
    }
  }
}
