package dev.tandem.data.order;

/**
 * A place in a run, between two steps. All that a loader needs to go on.
 *
 * @param step steps before it
 * @param sample samples before it, over all ranks and epochs
 */
public record Position(long step, long sample) {

  /** Where a run begins. */
  public static final Position START = new Position(0, 0);

  public Position {
    if (step < 0 || sample < 0) {
      throw new IllegalArgumentException("no position: step " + step + ", sample " + sample);
    }
  }
}
