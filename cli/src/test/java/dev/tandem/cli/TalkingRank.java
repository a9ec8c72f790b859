package dev.tandem.cli;

import dev.tandem.comm.Communicator;
import java.util.Arrays;

/** A rank of a test job: says who and where it is, and what it was given. */
public final class TalkingRank {

  private TalkingRank() {}

  /**
   * Joins and talks.
   *
   * @param arguments printed; {@code exit:N} as the first ends the process with that code
   */
  public static void main(String[] arguments) {
    try (Communicator communicator = Communicator.join()) {
      System.out.printf(
          "rank %d of %d on %s %s%n",
          communicator.rank(),
          communicator.size(),
          communicator.topology().names().get(communicator.rank()),
          Arrays.toString(arguments));
      System.err.println("error stream of " + communicator.rank());
      communicator.barrier();
    }
    if (arguments.length > 0 && arguments[0].startsWith("exit:")) {
      System.exit(Integer.parseInt(arguments[0].substring("exit:".length())));
    }
  }
}
