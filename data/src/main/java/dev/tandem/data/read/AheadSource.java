package dev.tandem.data.read;

import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Mode dm for a loader: while the records of one fetch are used, a thread touches the pages of
 * those that the next one will ask for if it is as far from this one as this one was from the last.
 */
final class AheadSource implements RecordSource {

  private final RecordSource base;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("tandem-read-ahead").factory());

  // Under this object's monitor.
  private long previousFirst = -1;
  private Future<?> touching;

  /** Takes the source over, whose fetches bring pages into memory. */
  AheadSource(RecordSource base) {
    this.base = base;
  }

  @Override
  public long size() {
    return base.size();
  }

  @Override
  public DataRecord record(long ordinal) {
    return base.record(ordinal);
  }

  @Override
  public RecordBlock fetch(long[] ordinals) {
    RecordBlock block = base.fetch(ordinals);
    if (ordinals.length > 0) {
      touchNext(ordinals);
    }
    return block;
  }

  private synchronized void touchNext(long[] ordinals) {
    long stride = previousFirst < 0 ? ordinals.length : ordinals[0] - previousFirst;
    previousFirst = ordinals[0];
    if (stride <= 0 || (touching != null && !touching.isDone())) {
      return;
    }
    long[] next = new long[ordinals.length];
    for (int i = 0; i < next.length; i++) {
      next[i] = (ordinals[i] + stride) % base.size();
    }
    touching = thread.submit(() -> base.fetch(next).close());
  }

  @Override
  public void close() {
    thread.close();
    base.close();
  }
}
