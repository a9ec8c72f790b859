package dev.tandem.comm.launch;

import dev.tandem.comm.Communicator;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/** Rank 0 sends to rank 1 without end; rank 1 never receives. */
public final class SendingRank {

  private static final int BYTES = 1 << 20;

  private SendingRank() {}

  public static void main(String[] arguments) {
    try (Communicator communicator = Communicator.join()) {
      System.out.println("pid " + ProcessHandle.current().pid());
      if (communicator.rank() > 0) {
        while (true) {
          LockSupport.park();
        }
      }
      MemorySegment message = MemorySegment.ofArray(new byte[BYTES]);
      for (int round = 1; true; round++) {
        System.out.println("sending " + round);
        communicator.send(message, 1);
      }
    }
  }
}
