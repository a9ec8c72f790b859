package dev.tandem.data.read.mode;

import dev.tandem.core.WorkFailedException;

/** The root in the process that also seeks for all. */
record SeekingReading(Seeker seeker, Reading reading) implements Reading {

  @Override
  public void run(RecordVisitor visitor, Breakdown breakdown) {
    reading.run(visitor, breakdown);
    try {
      seeker.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while seeking", e);
    }
    breakdown.seek += seeker.nanos();
  }

  @Override
  public void close() {
    seeker.interrupt();
    reading.close();
  }
}
