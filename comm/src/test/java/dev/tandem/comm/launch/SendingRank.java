package dev.tandem.comm.launch;

import dev.tandem.comm.Communicator;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/** Rank 0 sends to rank 1, and one of the two gives up sooner. */
public final class SendingRank {

  private static final int BYTES = 1 << 20;

  private SendingRank() {}

  /**
   * Sends or receives.
   *
   * @param arguments how many messages rank 0 sends and how many rank 1 receives before they only
   *     stay alive; they say what they begin with
   */
  public static void main(String[] arguments) {
    try (Communicator communicator = Communicator.join()) {
      System.out.println("pid " + ProcessHandle.current().pid());
      boolean sender = communicator.rank() == 0;
      int messages = Integer.parseInt(arguments[sender ? 0 : 1]);
      MemorySegment message = MemorySegment.ofArray(new byte[BYTES]);
      for (int number = 1; number <= messages; number++) {
        System.out.println((sender ? "sending " : "receiving ") + number);
        if (sender) {
          communicator.send(message, 1);
        } else {
          communicator.receive(message, 0);
        }
      }
      while (true) {
        LockSupport.park();
      }
    }
  }
}
