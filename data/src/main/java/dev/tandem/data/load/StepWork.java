package dev.tandem.data.load;

import dev.tandem.core.TandemException;
import dev.tandem.data.DataRecord;
import java.util.Map;
import java.util.TreeMap;

/**
 * One step on its way through a loader. Its samples are handed out in chunks; the thread that
 * finishes the last chunk closes the gaps that bad records left. All but {@link #record} and {@link
 * #closeGaps} is called under the queue's lock.
 */
final class StepWork {

  /** Samples {@code from .. to-1} of a step. */
  record Chunk(StepWork work, int from, int to) {}

  private final StepSamples samples;
  private final FetchedGroup group;
  private final int firstInBlock;
  private final int chunkSize;
  private final Map<Integer, BadRecord> bad = new TreeMap<>();
  private Slot slot;
  private int taken;
  private int finished;
  private TandemException failure;
  private boolean done;

  StepWork(StepSamples samples, FetchedGroup group, int firstInBlock, int threads) {
    this.samples = samples;
    this.group = group;
    this.firstInBlock = firstInBlock;
    // Small enough to keep all threads busy to the end of a step, not so small that they queue.
    this.chunkSize = Math.clamp(Math.ceilDiv(samples.count(), 2 * threads), 1, 64);
  }

  /** A step that failed before it began, and ends the loader when its turn comes. */
  static StepWork failed(TandemException failure) {
    StepWork work = new StepWork(new StepSamples(null, new long[0], new long[0]), null, 0, 1);
    work.failure = failure;
    work.done = true;
    return work;
  }

  StepSamples samples() {
    return samples;
  }

  FetchedGroup group() {
    return group;
  }

  DataRecord record(int sample) {
    return group.block().record(firstInBlock + sample);
  }

  /** Fails if the records read so far may not be those of the source. */
  void ensureIntact() {
    group.block().ensureIntact();
  }

  void begin(Slot ownSlot) {
    slot = ownSlot;
  }

  Slot slot() {
    return slot;
  }

  boolean hasChunks() {
    return taken < samples.count();
  }

  Chunk take() {
    int from = taken;
    taken = Math.min(from + chunkSize, samples.count());
    return new Chunk(this, from, taken);
  }

  /** Notes the outcome of a chunk; true if it was the last. */
  boolean finish(Chunk chunk, Map<Integer, BadRecord> badInChunk, TandemException ownFailure) {
    bad.putAll(badInChunk);
    if (failure == null) {
      failure = ownFailure;
    }
    finished += chunk.to - chunk.from;
    return finished == samples.count();
  }

  TandemException failure() {
    return failure;
  }

  void setDone() {
    done = true;
  }

  boolean done() {
    return done;
  }

  /** Bad records by sample; complete when the step is done. */
  Map<Integer, BadRecord> bad() {
    return bad;
  }

  /** Moves the good samples together, in their order. */
  void closeGaps() {
    if (bad.isEmpty()) {
      return;
    }
    int to = 0;
    for (int from = 0; from < samples.count(); from++) {
      if (!bad.containsKey(from)) {
        if (from != to) {
          slot.move(from, to);
        }
        to++;
      }
    }
  }
}
