package dev.tandem.comm.collective;

/**
 * What a collective costs one rank.
 *
 * @param steps how often it waits for others: turns of shared slots, and exchanges, sends and
 *     receives of messages; counted at run time as {@link dev.tandem.comm.transport.Traffic#steps}
 * @param bytesSent payload bytes that it sends, or writes for others to read
 */
public record Cost(long steps, long bytesSent) {

  static final Cost NOTHING = new Cost(0, 0);

  /** Both, one after the other. */
  public Cost then(Cost next) {
    return new Cost(steps + next.steps, bytesSent + next.bytesSent);
  }

  /** So often, one after the other. */
  Cost times(long count) {
    return new Cost(steps * count, bytesSent * count);
  }
}
