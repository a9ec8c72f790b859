package dev.tandem.data.read.mode;

/** A reader that follows a root: it takes its records from the ring. */
record FollowerReading(SlotRing ring, int consumer, OversizedValues outside) implements Reading {

  @Override
  public void run(RecordVisitor visitor, Breakdown breakdown) {
    new RoundConsumer(ring, consumer, false, outside).run(visitor, breakdown);
  }

  @Override
  public void close() {
    ring.close();
  }
}
