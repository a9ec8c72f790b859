package dev.tandem.data.read;

import dev.tandem.data.read.mode.MappedData;
import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Snapshot;
import java.lang.foreign.MemorySegment;

/** Values by a cursor that goes from record to record, without an index. */
final class CursorLocations implements ValueLocations {

  private final Database database;
  private final Cursor cursor;

  /** The record under the cursor, or -1. */
  private long current = -1;

  CursorLocations(Snapshot snapshot) {
    this.database = snapshot.main();
    this.cursor = database.cursor();
  }

  @Override
  public long size() {
    return database.size();
  }

  @Override
  public synchronized void locate(long[] ordinals, long[] positions, int[] lengths) {
    for (int i = 0; i < ordinals.length; i++) {
      move(ordinals[i]);
      positions[i] = cursor.valuePosition();
      lengths[i] = MappedData.length(cursor.valueLength());
    }
  }

  @Override
  public synchronized MemorySegment key(long ordinal) {
    move(ordinal);
    return cursor.key();
  }

  private void move(long ordinal) {
    boolean next = current >= 0 && ordinal == current + 1;
    if (ordinal != current && !(next ? cursor.next() : cursor.seekOrdinal(ordinal))) {
      throw new IndexOutOfBoundsException("record " + ordinal + " of " + size());
    }
    current = ordinal;
  }
}
