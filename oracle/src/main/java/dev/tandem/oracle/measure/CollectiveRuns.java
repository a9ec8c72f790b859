package dev.tandem.oracle.measure;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.collective.Message;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.oracle.profile.MeasuredCollectives;
import dev.tandem.oracle.profile.Profile;
import dev.tandem.parallel.cost.PlanTraffic.Operation;
import dev.tandem.parallel.stage.StageTransfer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;

/**
 * Measures collectives as they happen in training: ranks come at different times, from work that
 * has used memory; what counts is the time from when the last has come until all are done. All
 * groups of a size do the same at the same time. The clock is that of the host, the same for all
 * its processes. All ranks call everything together.
 */
final class CollectiveRuns implements AutoCloseable {

  private static final int FACTOR = 4;
  private static final int FEWEST = 5;
  private static final int MOST = 60;

  /** Runs that do not count, for each second of those that do. */
  private static final double WARM_UP = 2500;

  /** How late a rank is on average. */
  private static final double LATE_NANOS = 200_000;

  private static final long WORKED_BYTES = 1 << 20;

  private final Communicator all;
  private final boolean shared;
  private final double seconds;
  private final long longest;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment outgoing;
  private final MemorySegment incoming;
  private final MemorySegment worked = arena.allocate(2 * WORKED_BYTES, 64);
  private final SplittableRandom random;
  private final Map<Profile.Collective, Runs> rows = new LinkedHashMap<>();

  /**
   * Measurements of all ranks.
   *
   * @param shared whether ranks take turns on cores
   * @param seconds that the runs of one operation of some bytes take in a round, about
   * @param longest bytes
   */
  CollectiveRuns(Communicator all, boolean shared, double seconds, long longest) {
    this.all = all;
    this.shared = shared;
    this.seconds = seconds;
    this.longest = longest;
    outgoing = arena.allocate(longest, 64);
    incoming = arena.allocate(longest, 64);
    random = new Seed(all.rank()).random();
  }

  /** The lengths that are measured. */
  private List<Long> lengths() {
    List<Long> lengths = new ArrayList<>();
    for (long bytes = Float.BYTES; bytes <= longest; bytes *= FACTOR) {
      lengths.add(bytes);
    }
    return lengths;
  }

  /** Sizes of groups: all that divide the ranks. */
  private List<Integer> sizes() {
    List<Integer> sizes = new ArrayList<>();
    for (int size = 2; size <= all.size(); size++) {
      if (all.size() % size == 0) {
        sizes.add(size);
      }
    }
    return sizes;
  }

  /** Number of tasks of which {@link #round} tells. */
  int tasks() {
    return sizes().size() * Operation.values().length * lengths().size();
  }

  /** Of each the mean of the rounds. */
  List<Profile.Collective> rows() {
    List<Profile.Collective> all = new ArrayList<>();
    rows.forEach(
        (row, runs) ->
            all.add(
                new Profile.Collective(
                    row.operation(),
                    row.ranks(),
                    row.flows(),
                    row.bytes(),
                    runs.seconds(),
                    runs.spread())));
    return all;
  }

  /**
   * Measures everything once.
   *
   * @param progress told the number of tasks of the round that are done
   */
  void round(IntConsumer progress) {
    int done = 0;
    for (int size : sizes()) {
      int first = all.rank() / size * size;
      int[] members = new int[size];
      Arrays.setAll(members, i -> first + i);
      try (Communicator group = all.group(members);
          Communicator back = all.group(members)) {
        for (Operation operation : Operation.values()) {
          try (Call call = call(operation, group, back)) {
            warmUp(call);
            for (long bytes : lengths()) {
              rows.merge(row(operation, size, bytes), measured(bytes, call), Runs::both);
              progress.accept(++done);
            }
          }
        }
      }
    }
  }

  /** One without figures. */
  private Profile.Collective row(Operation operation, int size, long bytes) {
    return new Profile.Collective(
        MeasuredCollectives.word(operation), size, all.size() / size, bytes, 0, 0);
  }

  /** An operation of some bytes. */
  private interface Call extends AutoCloseable {
    void run(long bytes);

    @Override
    default void close() {}
  }

  private Call call(Operation operation, Communicator group, Communicator back) {
    int size = group.size();
    int rank = group.rank();
    return switch (operation) {
      case ALLREDUCE ->
          bytes -> group.allreduce(outgoing.asSlice(0, bytes), DType.FLOAT32, ReduceOp.SUM);
      case ALLGATHER ->
          bytes -> {
            long[] lengths = blocks(bytes, size);
            group.allgather(
                outgoing.asSlice(0, lengths[rank]), incoming.asSlice(0, bytes), lengths);
          };
      case REDUCE_SCATTER ->
          bytes -> {
            long[] lengths = blocks(bytes, size);
            group.reduceScatter(
                outgoing.asSlice(0, bytes),
                incoming.asSlice(0, lengths[rank]),
                lengths,
                DType.FLOAT32,
                ReduceOp.SUM);
          };
      case EXCHANGE ->
          bytes -> {
            long[] lengths = blocks(bytes, size - 1);
            group.exchange(
                messages(outgoing, lengths, rank, true), messages(incoming, lengths, rank, false));
          };
      case SEND -> sends(group, back);
    };
  }

  /** From the first rank of the group to the second, as stages do it. */
  private Call sends(Communicator group, Communicator back) {
    if (group.rank() > 1) {
      return _ -> {};
    }
    Communicator forward = group.group(0, 1);
    Communicator backward = back.group(0, 1);
    StageTransfer transfer =
        group.rank() == 0
            ? new StageTransfer(forward, backward)
            : new StageTransfer(backward, forward);
    return new Call() {
      @Override
      public void run(long bytes) {
        boolean sends = group.rank() == 0;
        transfer.exchange(
            List.of(),
            sends ? List.of(outgoing.asSlice(0, bytes)) : List.of(),
            List.of(),
            sends ? List.of() : List.of(incoming.asSlice(0, bytes)));
      }

      @Override
      public void close() {
        transfer.close();
      }
    };
  }

  /** So many bytes in blocks of floats. */
  private static long[] blocks(long bytes, int count) {
    long[] lengths = new long[count];
    long floats = bytes / Float.BYTES;
    Arrays.setAll(lengths, i -> (floats * (i + 1) / count - floats * i / count) * Float.BYTES);
    return lengths;
  }

  /** One to or from each other rank: the one after this sends it its first block, and so on. */
  private static List<Message> messages(
      MemorySegment memory, long[] lengths, int rank, boolean sent) {
    List<Message> messages = new ArrayList<>();
    long at = 0;
    int size = lengths.length + 1;
    for (int i = 0; i < lengths.length; i++) {
      int peer = Math.floorMod(sent ? rank - 1 - i : rank + 1 + i, size);
      messages.add(new Message(peer, memory.asSlice(at, lengths[i])));
      at += lengths[i];
    }
    return messages;
  }

  private void warmUp(Call call) {
    for (int i = 0; i < seconds * WARM_UP; i++) {
      call.run(Math.min(longest, (i % 8 + 1) * 1024L));
    }
    call.run(longest / FACTOR);
    all.barrier();
  }

  private Runs measured(long bytes, Call call) {
    double first = times(call, bytes, 2)[1];
    int count = (int) Math.clamp(seconds / (first + LATE_NANOS / 1e9), FEWEST, MOST);
    return Runs.of(times(call, bytes, count), shared);
  }

  /** The same on all ranks. */
  private double[] times(Call call, long bytes, int count) {
    long[] came = new long[count];
    long[] done = new long[count];
    for (int i = 0; i < count; i++) {
      all.barrier();
      work();
      came[i] = System.nanoTime();
      call.run(bytes);
      done[i] = System.nanoTime();
    }
    all.allreduce(MemorySegment.ofArray(came), DType.INT64, ReduceOp.MAX);
    all.allreduce(MemorySegment.ofArray(done), DType.INT64, ReduceOp.MAX);
    double[] seconds = new double[count];
    Arrays.setAll(seconds, i -> Math.max(1, done[i] - came[i]) / 1e9);
    return seconds;
  }

  /** Uses memory for a time that differs from rank to rank. */
  private void work() {
    double late = Math.min(5, -Math.log(1 - random.nextDouble())) * LATE_NANOS;
    long end = System.nanoTime() + (long) late;
    while (System.nanoTime() < end) {
      MemorySegment.copy(worked, 0, worked, WORKED_BYTES, WORKED_BYTES);
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
