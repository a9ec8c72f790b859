package dev.tandem.data.load;

import dev.tandem.data.order.Position;

/**
 * Which part of the order a loader serves.
 *
 * @param from where it begins
 * @param steps how many steps it gives
 */
public record Plan(int rank, int ranks, Position from, long steps) {

  public Plan {
    if (ranks < 1 || rank < 0 || rank >= ranks || steps < 0) {
      throw new IllegalArgumentException(
          "no plan: rank %d of %d for %d steps".formatted(rank, ranks, steps));
    }
  }

  /** The only rank, from the start. */
  public static Plan alone(long steps) {
    return new Plan(0, 1, Position.START, steps);
  }
}
