package dev.tandem.comm.launch;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.WorkFailedException;
import java.lang.foreign.MemorySegment;

/** A rank of a test job: adds up numbers together with the others, for ever or for some rounds. */
public final class SummingRank {

  private SummingRank() {}

  /**
   * Joins the job and sums.
   *
   * @param arguments rounds (0: for ever), and the rank that fails after them (-1: none)
   */
  public static void main(String[] arguments) {
    int rounds = Integer.parseInt(arguments[0]);
    int failing = Integer.parseInt(arguments[1]);
    try (Communicator communicator = Communicator.join()) {
      System.out.println("pid " + ProcessHandle.current().pid());
      float[] data = new float[50_000];
      for (int round = 0; rounds == 0 || round < rounds; round++) {
        data[0] = communicator.rank() + 1;
        communicator.allreduce(MemorySegment.ofArray(data), DType.FLOAT32, ReduceOp.SUM);
        if (round == 2) {
          System.out.println("running");
        }
        if (round % 50 == 0) {
          System.out.println("round " + round);
        }
      }
      System.out.println("sum " + (int) data[0]);
      if (communicator.rank() == failing) {
        throw new WorkFailedException("as the test wants it");
      }
      communicator.barrier();
    }
  }
}
