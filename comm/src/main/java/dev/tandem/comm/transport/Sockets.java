package dev.tandem.comm.transport;

import dev.tandem.core.UsageException;
import java.util.Map;
import java.util.OptionalInt;

/**
 * How many sockets connect two ranks.
 *
 * @param wanted what the user asks for; by default one, which fills a line of 1 Gbit/s. More are
 *     for networks that bound each connection.
 */
record Sockets(OptionalInt wanted) {

  /** The environment variable that chooses; the same for all ranks of a job. */
  static final String VARIABLE = "TANDEM_SOCKETS";

  static final int MOST = 16;

  private static final int USUAL = 1;

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
  int between(int rank, int peer) {
    return rank == peer ? 0 : wanted.orElse(USUAL);
  }
}
