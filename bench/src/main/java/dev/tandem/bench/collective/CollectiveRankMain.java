package dev.tandem.bench.collective;

import dev.tandem.bench.Spread;
import dev.tandem.bench.WarmUp;
import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import dev.tandem.posix.Capability;
import dev.tandem.posix.ResourceUsage;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Tandem's side of {@code tandem bench collective}, one rank: the same steps as {@code
 * collective_mpi.c}, with the same lines read and printed.
 */
public final class CollectiveRankMain {

  private static final int MAXIMUM_CALLS = 20_000;
  private static final int MINIMUM_CALLS = 2;
  private static final int WARM_CALLS = 1;
  private static final long STRAGGLE_NANOS = 20_000_000;
  private static final int LATE_CALLS = 15;

  /** Longer data runs through the same code. */
  private static final long WARM_BYTES = 16 << 20;

  /** In a stretch of calls that warm up. */
  private static final long WARM_CALLS_BYTES = 64 << 20;

  private static final long NAP_NANOS = 5_000_000;
  private static final int MOST_NAPS = 400;
  private static final double QUIET_SHARE = 0.15;

  private final Communicator communicator;
  private final MemorySegment one;

  private CollectiveRankMain(Communicator communicator, MemorySegment one) {
    this.communicator = communicator;
    this.one = one;
  }

  /**
   * Prepares, and measures whenever a line comes.
   *
   * @param args the prefix of the pipes' names, seconds that preparing may take, the operations
   *     that will come, and their sizes
   */
  public static void main(String[] args) throws IOException {
    Reduction.prepare();
    double limit = Double.parseDouble(args[1]);
    List<CollectiveOperation> operations =
        Arrays.stream(args[2].split(",")).map(CollectiveOperation::of).toList();
    List<Long> sizes = Arrays.stream(args).skip(3).map(Long::valueOf).toList();
    try (Communicator communicator = Communicator.join();
        Arena arena = Arena.ofConfined();
        BufferedReader pipe = Files.newBufferedReader(Path.of(args[0] + communicator.rank()))) {
      MemorySegment one = arena.allocate(Double.BYTES, Double.BYTES);
      CollectiveRankMain main = new CollectiveRankMain(communicator, one);
      main.awaitCompiler(operations, sizes, limit);
      main.print(CollectiveContender.READY);
      for (String line = pipe.readLine(); line != null; line = pipe.readLine()) {
        main.run(Turn.of(line));
      }
    }
  }

  private void print(String line) {
    if (communicator.rank() == 0) {
      System.out.println(line);
    }
  }

  /**
   * Calls everything until the just-in-time compilers of all ranks have little left to do. They
   * need the processors that ranks keep busy, so the ranks rest in between until they are done.
   */
  private void awaitCompiler(List<CollectiveOperation> operations, List<Long> sizes, double limit) {
    // Ranks that share processors share them for compiling too, and call everything more slowly.
    double crowd =
        Math.max(1, (double) communicator.size() / Runtime.getRuntime().availableProcessors());
    WarmUp.run(
        Duration.ofMillis((long) (1000 * limit * crowd * crowd)),
        () -> {
          for (CollectiveOperation operation : operations) {
            sizes.stream()
                .filter(bytes -> bytes <= WARM_BYTES)
                .forEach(bytes -> callSome(operation, bytes));
          }
        },
        this::largest);
  }

  private static double secondsSince(long nanoTime) {
    return (System.nanoTime() - nanoTime) / 1e9;
  }

  private void callSome(CollectiveOperation operation, long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      CollectiveWork work = new CollectiveWork(communicator, operation, bytes, arena);
      int calls = Math.clamp(WARM_CALLS_BYTES / bytes, 1, 2_000);
      double[] times = new double[calls];
      for (int call = 0; call < calls; call++) {
        times[call] = once(work, call);
      }
      // As measuring does: code that has not met this kind of memory would be compiled again.
      slowest(times);
    }
    rest();
  }

  /** Until this process is quiet: what its compilers were given to do is done. */
  private static void rest() {
    double used = 1;
    for (int naps = 0; used > QUIET_SHARE && naps < MOST_NAPS; naps++) {
      double before = cpuSeconds();
      LockSupport.parkNanos(NAP_NANOS);
      used = (cpuSeconds() - before) / (NAP_NANOS / 1e9);
    }
  }

  private void run(Turn turn) {
    try (Arena arena = Arena.ofConfined()) {
      CollectiveWork work = new CollectiveWork(communicator, turn.operation(), turn.bytes(), arena);
      double each = secondsOfACall(work, turn.warmUp());
      String result =
          turn.operation() == CollectiveOperation.STRAGGLER
              ? straggle(work, lateCalls(turn.seconds()))
              : measure(work, calls(turn.seconds() / each));
      // What has become worth compiling must not disturb the next one's turn.
      rest();
      communicator.barrier();
      print(turn.operation().code() + " " + turn.bytes() + " " + result);
    }
  }

  private String measure(CollectiveWork work, int calls) {
    double[] times = new double[calls];
    for (int call = 0; call < calls; call++) {
      times[call] = once(work, call);
    }
    slowest(times);
    return micros(times);
  }

  /** Of all ranks, call by call. */
  private void slowest(double[] times) {
    communicator.allreduce(MemorySegment.ofArray(times), DType.FLOAT64, ReduceOp.MAX);
  }

  private double once(CollectiveWork work, int call) {
    work.refill(call);
    communicator.barrier();
    long began = System.nanoTime();
    work.perform();
    long ended = System.nanoTime();
    work.verify(call);
    return (ended - began) / 1e9;
  }

  /** Warms up and says how long a call takes, with its preparation, in the slowest rank. */
  private double secondsOfACall(CollectiveWork work, double warmUp) {
    long began = System.nanoTime();
    int call = 0;
    while (true) {
      once(work, call++);
      if (broadcast(call >= WARM_CALLS && secondsSince(began) >= warmUp)) {
        return largest(secondsSince(began) / call);
      }
    }
  }

  private String straggle(CollectiveWork work, int calls) {
    boolean late = communicator.rank() == communicator.size() - 1;
    double[] times = new double[calls];
    long waited = 0;
    double used = 0;
    for (int call = 0; call < calls; call++) {
      work.refill(call);
      communicator.barrier();
      if (late) {
        LockSupport.parkNanos(STRAGGLE_NANOS);
      }
      double before = cpuSeconds();
      long entered = System.nanoTime();
      work.perform();
      long left = System.nanoTime();
      used += late ? 0 : cpuSeconds() - before;
      waited += late ? 0 : left - entered;
      // All ranks are on one host: the same clock.
      times[call] = largest(left / 1e9) - largest(late ? entered / 1e9 : 0);
      work.verify(call);
    }
    double share = largest(late ? 0 : used / (waited / 1e9));
    return micros(times) + " " + share;
  }

  /** Of all threads of this process: threads that help to wait count, too. */
  private static double cpuSeconds() {
    return switch (ResourceUsage.reader()) {
      case Capability.Present<ResourceUsage.Reader>(ResourceUsage.Reader reader) ->
          reader.process().processorTime().toNanos() / 1e9;
      case Capability.Missing<ResourceUsage.Reader>(String reason) ->
          throw new IllegalStateException(reason);
    };
  }

  private static int calls(double fitting) {
    return (int) Math.clamp(fitting, MINIMUM_CALLS, MAXIMUM_CALLS);
  }

  private static int lateCalls(double seconds) {
    return Math.max(LATE_CALLS, calls(seconds * 1e9 / STRAGGLE_NANOS));
  }

  private boolean broadcast(boolean value) {
    one.set(ValueLayout.JAVA_DOUBLE, 0, value ? 1 : 0);
    communicator.broadcast(one, 0);
    return one.get(ValueLayout.JAVA_DOUBLE, 0) != 0;
  }

  private double largest(double value) {
    one.set(ValueLayout.JAVA_DOUBLE, 0, value);
    communicator.allreduce(one, DType.FLOAT64, ReduceOp.MAX);
    return one.get(ValueLayout.JAVA_DOUBLE, 0);
  }

  private static String micros(double[] seconds) {
    return "%.3f".formatted(Spread.of(Arrays.stream(seconds).boxed().toList()).median() * 1e6);
  }
}
