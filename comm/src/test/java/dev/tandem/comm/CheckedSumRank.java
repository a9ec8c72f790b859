package dev.tandem.comm;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.WorkFailedException;
import java.lang.foreign.MemorySegment;

/** A rank that sums for ever, in messages of several sizes, and checks every element. */
public final class CheckedSumRank {

  private static final int[] COUNTS = {1, 1000, 50_000, 400_000};

  private CheckedSumRank() {}

  public static void main(String[] arguments) {
    try (Communicator communicator = Communicator.join()) {
      System.out.println("pid " + ProcessHandle.current().pid());
      int ranks = communicator.size();
      for (int round = 0; ; round++) {
        int[] data = new int[COUNTS[round % COUNTS.length]];
        for (int i = 0; i < data.length; i++) {
          data[i] = round + i + communicator.rank();
        }
        communicator.allreduce(MemorySegment.ofArray(data), DType.INT32, ReduceOp.SUM);
        for (int i = 0; i < data.length; i++) {
          if (data[i] != ranks * (round + i) + ranks * (ranks - 1) / 2) {
            throw new WorkFailedException("wrong sum in round " + round + " at " + i);
          }
        }
        if (round % 20 == 0) {
          System.out.println("round " + round);
        }
      }
    }
  }
}
