package dev.tandem.data.read.mode;

import java.nio.ByteBuffer;

/** Takes one reader's records from the rounds of a ring. For one thread. */
final class RoundConsumer {

  private final SlotRing ring;
  private final int consumer;
  private final boolean root;
  private final OversizedValues outside;

  /**
   * @param consumer which of the ring's readers this is
   * @param root it waits for bytes, not for another reader
   */
  RoundConsumer(SlotRing ring, int consumer, boolean root, OversizedValues outside) {
    this.ring = ring;
    this.consumer = consumer;
    this.root = root;
    this.outside = outside;
  }

  void run(RecordVisitor visitor, Breakdown breakdown) {
    boolean last = false;
    for (long round = 0; !last; round++) {
      long began = System.nanoTime();
      ring.awaitPublished(round);
      long there = System.nanoTime();
      RoundSlot slot = ring.slot(round);
      // A view of this thread: the producer's threads fill other slots of the same memory.
      ByteBuffer view = slot.memory().duplicate();
      slot.visit(consumer, visitor, view, outside, breakdown);
      outside.ensureIntact();
      last = slot.last();
      ring.release(consumer, round);
      breakdown.consume += System.nanoTime() - there;
      if (root) {
        breakdown.read += there - began;
      } else {
        breakdown.skew += there - began;
      }
    }
  }
}
