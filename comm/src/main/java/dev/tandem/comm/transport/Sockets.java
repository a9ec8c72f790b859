package dev.tandem.comm.transport;

import dev.tandem.comm.rendezvous.Topology;
import dev.tandem.core.UsageException;
import java.util.Map;
import java.util.OptionalInt;

/**
 * How many sockets connect two ranks.
 *
 * @param wanted what the user asks for; by default one inside a host and two between hosts
 */
record Sockets(OptionalInt wanted) {

  /** The environment variable that chooses; the same for all ranks of a job. */
  static final String VARIABLE = "TANDEM_SOCKETS";

  static final int MOST = 16;

  private static final int INSIDE = 1;
  private static final int BETWEEN = 2;

  static Sockets of(Map<String, String> variables) {
    String text = variables.get(VARIABLE);
    if (text == null) {
      return new Sockets(OptionalInt.empty());
    }
    try {
      int count = Integer.parseInt(text);
      if (count >= 1 && count <= MOST) {
        return new Sockets(OptionalInt.of(count));
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new UsageException(
        "%s must be a number from 1 to %d, not '%s'".formatted(VARIABLE, MOST, text));
  }

  /** The number between two ranks; none between a rank and itself. */
  int between(Topology topology, int rank, int peer) {
    if (rank == peer) {
      return 0;
    }
    return wanted.orElse(topology.host(rank) == topology.host(peer) ? INSIDE : BETWEEN);
  }
}
