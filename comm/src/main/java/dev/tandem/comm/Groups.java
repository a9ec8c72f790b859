package dev.tandem.comm;

import dev.tandem.comm.collective.Team;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Numbers the channels of groups. The first member of a group chooses, from numbers that only it
 * uses, and tells the others; so ranks that share no group need not agree on anything.
 */
final class Groups {

  /** The channel of the team of all ranks. */
  static final int ALL = 0;

  private static final int CHANNELS_PER_RANK = 1 << 15;
  private static final int CHANNELS_PER_GROUP = 2;

  private final int myRank;
  private final AtomicInteger next = new AtomicInteger();

  Groups(int myRank) {
    this.myRank = myRank;
  }

  /** The channel of a new group, the same in all its members. */
  int agree(Team parent, int[] ranks) {
    return parent.tell(ranks, this::choose);
  }

  private int choose() {
    int number = next.getAndAdd(CHANNELS_PER_GROUP);
    if (number >= CHANNELS_PER_RANK) {
      throw new IllegalStateException("rank " + myRank + " has formed too many groups");
    }
    return (myRank + 1) * CHANNELS_PER_RANK + number;
  }
}
