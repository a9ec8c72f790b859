package dev.tandem.data.order;

/**
 * The samples of one step over all ranks: {@code count} of them from its position on.
 *
 * @param count samples of all ranks together
 */
public record Step(Position position, int count) {

  /** A rank's share: samples {@code from .. from + count - 1} of the run. May be empty. */
  public record Share(long from, int count) {}

  /** The share of a rank; the shares of all ranks are contiguous and differ by at most one. */
  public Share share(int rank, int ranks) {
    long first = (long) count * rank / ranks;
    long end = (long) count * (rank + 1) / ranks;
    return new Share(position.sample() + first, (int) (end - first));
  }

  /** Where the next step begins. */
  public Position next() {
    return new Position(position.step() + 1, position.sample() + count);
  }
}
