package dev.tandem.data.load;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;

/** Makes samples of records, puts them into batches and counts the time. For one thread. */
final class SampleWriter {

  private final RecordPreparation.Writer writer;
  private final StageMeter meter;

  // Since the last report.
  private long samples;
  private long decodeNanos;
  private long augmentNanos;

  SampleWriter(RecordPreparation preparation, StageMeter meter) {
    this.writer = preparation.writer();
    this.meter = meter;
  }

  /** Writes sample {@code index} of a slot; a bad record is a {@link WorkFailedException}. */
  void write(DataRecord record, long visit, long ordinal, Slot slot, int index) {
    long began = System.nanoTime();
    long decoded = began;
    try {
      writer.decode(record);
      decoded = System.nanoTime();
      writer.write(visit, ordinal, slot.image(index), slot.label(index));
    } finally {
      samples++;
      decodeNanos += decoded - began;
      augmentNanos += System.nanoTime() - decoded;
    }
  }

  /** Tells the meter what was done since the last call. */
  void report() {
    meter.samples(samples, decodeNanos, augmentNanos);
    samples = 0;
    decodeNanos = 0;
    augmentNanos = 0;
  }
}
