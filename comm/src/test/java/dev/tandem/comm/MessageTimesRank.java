package dev.tandem.comm;

import dev.tandem.comm.collective.Message;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/**
 * A rank that measures messages: how long one takes there and back between ranks 0 and 1, and how
 * long a halo exchange of all ranks takes, at several sizes.
 */
public final class MessageTimesRank {

  private static final long[] SIZES = {4, 1 << 10, 64 << 10, 1 << 20, 16 << 20};
  private static final double WARM_UP_SECONDS = 1;
  private static final double SECONDS = 0.6;
  private static final int MOST_CALLS = 200_000;

  private final Communicator communicator;

  private MessageTimesRank(Communicator communicator) {
    this.communicator = communicator;
  }

  /**
   * Measures.
   *
   * @param arguments a name to print before every figure
   */
  public static void main(String[] arguments) {
    try (Communicator communicator = Communicator.join()) {
      MessageTimesRank rank = new MessageTimesRank(communicator);
      for (long bytes : SIZES) {
        rank.measure(arguments[0] + " there-and-back " + bytes, bytes, rank::thereAndBack);
      }
      for (long bytes : SIZES) {
        rank.measure(arguments[0] + " halo " + bytes, bytes, rank::halo);
      }
    }
  }

  private interface Operation {
    void run(MemorySegment data, MemorySegment other);
  }

  private void measure(String name, long bytes, Operation operation) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(bytes, 64);
      MemorySegment other = arena.allocate(bytes, 64);
      int calls = 1;
      double seconds = 0;
      while (seconds < WARM_UP_SECONDS) {
        // All ranks count alike.
        seconds += slowest(time(operation, data, other, calls));
        calls = Math.min(2 * calls, MOST_CALLS);
      }
      double each = slowest(time(operation, data, other, 3));
      int count = (int) Math.clamp(SECONDS * 3 / each, 5, MOST_CALLS);
      double[] times = new double[count];
      communicator.barrier();
      for (int call = 0; call < count; call++) {
        data.set(ValueLayout.JAVA_BYTE, call % bytes, (byte) call);
        times[call] = time(operation, data, other, 1);
      }
      Arrays.sort(times);
      if (communicator.rank() == 0) {
        System.out.printf(
            "%s: median %.2f us, best %.2f us, 90%% within %.2f us%n",
            name, times[count / 2] * 1e6, times[0] * 1e6, times[count * 9 / 10] * 1e6);
      }
      communicator.barrier();
    }
  }

  private double slowest(double seconds) {
    double[] value = {seconds};
    communicator.allreduce(MemorySegment.ofArray(value), DType.FLOAT64, ReduceOp.MAX);
    return value[0];
  }

  private double time(Operation operation, MemorySegment data, MemorySegment other, int calls) {
    long began = System.nanoTime();
    for (int call = 0; call < calls; call++) {
      operation.run(data, other);
    }
    return (System.nanoTime() - began) / 1e9;
  }

  private void thereAndBack(MemorySegment data, MemorySegment other) {
    if (communicator.rank() == 0) {
      communicator.send(data, 1);
      communicator.receive(other, 1);
    } else if (communicator.rank() == 1) {
      communicator.receive(other, 0);
      communicator.send(other, 0);
    }
  }

  /** In a circle, so that everybody has two neighbours. */
  private void halo(MemorySegment data, MemorySegment other) {
    int size = communicator.size();
    int lower = (communicator.rank() + size - 1) % size;
    int upper = (communicator.rank() + 1) % size;
    communicator.exchange(List.of(new Message(lower, data)), List.of(new Message(upper, other)));
    communicator.exchange(List.of(new Message(upper, data)), List.of(new Message(lower, other)));
  }
}
