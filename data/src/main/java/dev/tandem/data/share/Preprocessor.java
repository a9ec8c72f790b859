package dev.tandem.data.share;

import static dev.tandem.data.share.SharedWords.readInt;

import dev.tandem.posix.ResourceUsage;

/** A thread that makes chunks for all consumers, as long as they are wanted. */
final class Preprocessor implements Runnable {

  private final SampleRing ring;
  private final RecordChunks records;
  private final ChunkMaker maker;
  private final PreparationThreads all;
  private final int index;

  /**
   * One of the threads of a participant.
   *
   * @param records say which record is where
   * @param maker makes them
   * @param all threads of the participant
   * @param index of the thread among them
   */
  Preprocessor(
      SampleRing ring, RecordChunks records, ChunkMaker maker, PreparationThreads all, int index) {
    this.ring = ring;
    this.records = records;
    this.maker = maker;
    this.all = all;
    this.index = index;
  }

  @Override
  public void run() {
    ShareArea area = ring.area();
    while (!ring.closed() && all.wants(index)) {
      if (index == 0) {
        all.follow();
      }
      int progress = ring.progress();
      long chunk = active(area) ? ring.claim() : -1;
      if (chunk < 0) {
        ring.awaitConsumers(progress);
        continue;
      }
      long began = System.nanoTime();
      long cpu = cpuNanos();
      long wanted = ring.wanted(chunk, records);
      long present = made(chunk, wanted);
      ring.publish(chunk, present);
      area.participants().add(Participants.PREPARED, Long.bitCount(present));
      area.participants().add(Participants.BUSY_NANOS, System.nanoTime() - began);
      area.participants().add(Participants.CPU_NANOS, cpuNanos() - cpu);
    }
  }

  /** What cannot be made, each consumer tries for itself, and says what is wrong. */
  private long made(long chunk, long wanted) {
    try {
      return maker.make(chunk, wanted, ring.inputs(chunk), ring.targets(chunk));
    } catch (RuntimeException e) {
      return 0;
    }
  }

  /** Whether this thread is one of those that are to work at present. */
  private boolean active(ShareArea area) {
    int limit = readInt(area.memory(), ShareArea.LIMIT_AT);
    return limit == 0 || area.participants().threadsBefore() + index < limit;
  }

  private static long cpuNanos() {
    return ResourceUsage.reader().orElseThrow().thread().processorTime().toNanos();
  }
}
