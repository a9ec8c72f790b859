package dev.tandem.data.read.mode;

/**
 * Walks through the places that a group of readers takes, share by share: iteration by iteration,
 * and within one reader by reader. For one thread.
 */
public final class Shares {

  private final BatchPlan plan;
  private final int[] readers;
  private long iteration;
  private int member;
  private long from;
  private int count;
  private int taken;

  public Shares(BatchPlan plan, int... readers) {
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

  public boolean done() {
    return iteration >= plan.iterations();
  }

  /** The iteration of the next place. */
  public long iteration() {
    return iteration;
  }

  /** Which of the group's readers takes the next place. */
  public int member() {
    return member;
  }

  /** The next place of the plan. */
  public long place() {
    return from + taken;
  }

  /** Places left of this share. */
  public int left() {
    return count - taken;
  }

  /** Goes on to the following place. */
  public void next() {
    if (++taken == count) {
      advance();
    }
  }
}
