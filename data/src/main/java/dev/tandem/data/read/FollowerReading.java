package dev.tandem.data.read;

/** A reader that follows a root: it takes its records from the ring. */
record FollowerReading(SlotRing ring, int consumer, OutsideValues outside) implements Reading {

  @Override
  public void run(RecordVisitor visitor, Breakdown breakdown) {
    new RoundConsumer(ring, consumer, false, outside).run(visitor, breakdown);
  }

  @Override
  public void close() {
    ring.close();
  }
}
