package dev.tandem.data.read;

/**
 * Walks through the places that a group of readers takes, share by share: iteration by iteration,
 * and within one reader by reader. For one thread.
 */
final class Shares {

  private final BatchPlan plan;
  private final int[] readers;
  private long iteration;
  private int member;
  private long from;
  private int count;
  private int taken;

  Shares(BatchPlan plan, int... readers) {
    this.plan = plan;
    this.readers = readers;
    this.iteration = 0;
    this.member = -1;
    advance();
  }

  private void advance() {
    do {
      if (++member == readers.length) {
        member = 0;
        iteration++;
      }
      from = iteration * plan.batch() + plan.first(readers[member]);
      count = plan.count(readers[member]);
      taken = 0;
    } while (count == 0 && iteration < plan.iterations());
  }

  boolean done() {
    return iteration >= plan.iterations();
  }

  /** The iteration of the next place. */
  long iteration() {
    return iteration;
  }

  /** Which of the group's readers takes the next place. */
  int member() {
    return member;
  }

  /** The next place of the plan. */
  long place() {
    return from + taken;
  }

  /** Places left of this share. */
  int left() {
    return count - taken;
  }

  /** Goes on to the following place. */
  void next() {
    if (++taken == count) {
      advance();
    }
  }
}
