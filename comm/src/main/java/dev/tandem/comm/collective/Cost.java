package dev.tandem.comm.collective;

/**
 * What a collective costs one rank.
 *
 * @param steps rounds in which it waits for others
 * @param bytesSent payload bytes that it sends
 */
public record Cost(long steps, long bytesSent) {

  /** Both, one after the other. */
  public Cost then(Cost next) {
    return new Cost(steps + next.steps, bytesSent + next.bytesSent);
  }
}
