package dev.tandem.servers;

import java.util.Arrays;

/** How many gradients each client has pushed. For one thread at a time. */
final class Clocks {

  /** The clock of a worker that has left: none waits for it. */
  static final long LEFT = Long.MAX_VALUE;

  private final long[] clocks;

  Clocks(int clients) {
    clocks = new long[clients];
  }

  void advance(int client, long clock) {
    if (clock != clocks[client] + 1) {
      throw new IllegalStateException(
          "client %d pushed gradient %d after %d".formatted(client, clock, clocks[client]));
    }
    clocks[client] = clock;
  }

  void leave(int client) {
    clocks[client] = LEFT;
  }

  boolean left(int client) {
    return clocks[client] == LEFT;
  }

  /** The clock of the slowest client that has not left; {@link #LEFT} if all have. */
  long slowest() {
    return Arrays.stream(clocks).min().orElse(LEFT);
  }
}
