package dev.tandem.comm;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** A rank that measures how much of a line an allreduce of 16 MiB uses. */
public final class LineRateRank {

  private static final long BYTES = 16 << 20;
  private static final int ROUNDS = 40;
  // Until the machine code is there, compiling it takes processors from the line.
  private static final int WARM = 15;

  private LineRateRank() {}

  /**
   * Measures.
   *
   * @param arguments the bits a second of the line
   */
  public static void main(String[] arguments) {
    double rate = Double.parseDouble(arguments[0]);
    try (Communicator communicator = Communicator.join();
        Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(BYTES, 64);
      double[] shares = new double[ROUNDS];
      for (int round = 0; round < ROUNDS; round++) {
        communicator.barrier();
        long start = System.nanoTime();
        communicator.allreduce(data, DType.FLOAT32, ReduceOp.SUM);
        double seconds = (System.nanoTime() - start) / 1e9;
        int size = communicator.size();
        shares[round] = 2.0 * BYTES * (size - 1) / size * 8 / rate / seconds;
      }
      double[] warm = Arrays.copyOfRange(shares, WARM, ROUNDS);
      Arrays.sort(warm);
      System.out.printf(
          "share %.4f, worst %.4f, best %.4f%n",
          warm[warm.length / 2], warm[0], warm[warm.length - 1]);
    }
  }
}
