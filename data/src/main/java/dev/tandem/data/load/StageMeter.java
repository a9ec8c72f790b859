package dev.tandem.data.load;

import java.util.concurrent.atomic.LongAdder;

/** Counts where the time of a loader's threads and of its consumer goes. Thread-safe. */
final class StageMeter {

  private final LongAdder samples = new LongAdder();
  private final LongAdder reading = new LongAdder();
  private final LongAdder bytesRead = new LongAdder();
  private final LongAdder decoding = new LongAdder();
  private final LongAdder augmenting = new LongAdder();
  private final LongAdder waitingForRecords = new LongAdder();
  private final LongAdder waitingForSlots = new LongAdder();
  private final LongAdder consumerWaiting = new LongAdder();
  private final long began = System.nanoTime();
  private volatile long firstBatch;

  void samples(long count, long decodeNanos, long augmentNanos) {
    samples.add(count);
    decoding.add(decodeNanos);
    augmenting.add(augmentNanos);
  }

  void read(long nanos, long bytes) {
    reading.add(nanos);
    bytesRead.add(bytes);
  }

  void workerWaited(boolean forRecords, long nanos) {
    (forRecords ? waitingForRecords : waitingForSlots).add(nanos);
  }

  /** The first wait is the filling of the pipeline and no sign of a bottleneck. */
  void consumerWaited(long nanos) {
    if (firstBatch == 0) {
      firstBatch = System.nanoTime();
    } else {
      consumerWaiting.add(nanos);
    }
  }

  StallReport report() {
    long now = System.nanoTime();
    long from = firstBatch == 0 ? now : firstBatch;
    // Each once, for workers go on meanwhile: shares of a whole must add up to it.
    long records = waitingForRecords.sum();
    long decode = decoding.sum();
    long augment = augmenting.sum();
    long slots = waitingForSlots.sum();
    double workers = Math.max(1, records + decode + augment + slots);
    return new StallReport(
        (now - began) / 1e9,
        (from - began) / 1e9,
        samples.sum(),
        bytesRead.sum(),
        reading.sum() / 1e9,
        consumerWaiting.sum() / (double) Math.max(1, now - from),
        records / workers,
        decode / workers,
        augment / workers,
        slots / workers);
  }
}
