package dev.tandem.data.read.mode;

import dev.tandem.data.read.request.RequestThreads;

/**
 * Slots that a producer fills in turn, round after round, and that one or more consumers empty: a
 * slot is free for the next round when all consumers have released it. Rounds may be published out
 * of order.
 */
interface SlotRing extends RequestThreads.Failures, AutoCloseable {

  /** The slot of a round; each process has views of its own. */
  RoundSlot slot(long round);

  /** The producer waits until all consumers have released the round that used the slot before. */
  void awaitFree(long round);

  /** The producer has filled the slot of a round. */
  void publish(long round);

  /** A consumer waits until a round is published. */
  void awaitPublished(long round);

  /** A consumer is done with a round; it releases all of them, in order. */
  void release(int consumer, long round);

  /** The producer has failed: consumers of this process get the failure instead of a round. */
  @Override
  void fail(Throwable failure);

  /** A producer that waits gives up. */
  @Override
  void close();
}
