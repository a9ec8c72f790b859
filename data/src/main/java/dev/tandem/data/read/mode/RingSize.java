package dev.tandem.data.read.mode;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.read.request.Requests;

/**
 * How much memory rounds get.
 *
 * @param capacity bytes of data a slot
 * @param iterations how many iterations a round may have
 */
record RingSize(int slots, int capacity, long iterations) {

  private static final long LARGEST_SLOT = 1 << 30;

  /** The sooner a round is there, the sooner consumers begin; twice as much of long records. */
  private static final long ROUND = 4 << 20;

  /** Of short requests: what is there soon, and still in a cache when it is consumed. */
  private static final long SHORT_ROUND = 1 << 20;

  private static final long COALESCED_ROUND = 32 << 20;
  private static final int MOST_SLOTS = 64;
  private static final int FEWEST_SLOTS = 3;
  private static final int MOST_USUAL_SLOTS = 6;

  /** Short rounds are one consumer's, which may have to wait for a processor. */
  private static final int FEWEST_SHORT_SLOTS = 10;

  private static final long SHORT_SLOT = 2 << 20;

  /** Memory for coalescing that the thesis allows itself. */
  static final long DEFAULT_BUDGET = 2_500_000_000L;

  /**
   * For rounds of one iteration: slots for as many as keep the queue full.
   *
   * @param iterationBytes bytes that an iteration takes, about
   * @param smallest bytes of data that a slot must have
   * @param requestBytes what a request has at most
   * @param queueDepth requests under way
   */
  static RingSize ofIterations(
      long iterationBytes, long smallest, long requestBytes, int queueDepth) {
    long ahead = 2 * requestBytes * queueDepth;
    long usual = smallest <= ROUND ? ROUND : 2 * ROUND;
    long most = Math.max(smallest, Math.clamp(ahead, SHORT_ROUND, usual));
    long round = Math.clamp(iterationBytes + iterationBytes / 8, smallest, most);
    long fewest = round <= SHORT_SLOT ? FEWEST_SHORT_SLOTS : usualSlots(ahead, round);
    long slots = Math.clamp(ahead / Math.max(1, iterationBytes), fewest, MOST_SLOTS);
    return new RingSize((int) slots, checked(round), 1);
  }

  /** For what is ahead and half as much again, which consumers have in hand. */
  private static int usualSlots(long ahead, long round) {
    return Math.clamp(ahead * 3 / 2 / round, FEWEST_SLOTS, MOST_USUAL_SLOTS);
  }

  /**
   * For rounds of many iterations.
   *
   * @param budget bytes in all, or 0 for as many as were found to suffice
   */
  static RingSize coalesced(long budget, long smallest, Requests requests) {
    long most = Math.min(budget == 0 ? DEFAULT_BUDGET : budget, Runtime.getRuntime().maxMemory());
    long wanted =
        budget == 0
            ? Math.max(COALESCED_ROUND, 2L * requests.block() * requests.queueDepth())
            : budget / FEWEST_SLOTS;
    long round = Math.clamp(Math.min(wanted, most / FEWEST_SLOTS), smallest, LARGEST_SLOT);
    return new RingSize(FEWEST_SLOTS, checked(round), Long.MAX_VALUE / 2);
  }

  private static int checked(long capacity) {
    if (capacity > LARGEST_SLOT) {
      throw new WorkFailedException(
          "the longest value takes %d bytes, more than can be read at once; use mode lmdb"
              .formatted(capacity));
    }
    return (int) capacity;
  }
}
