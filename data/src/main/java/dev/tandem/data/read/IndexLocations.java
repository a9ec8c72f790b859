package dev.tandem.data.read;

import dev.tandem.data.read.mode.MappedData;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.index.RecordIndex;
import java.lang.foreign.MemorySegment;

/** Values by the record index. */
record IndexLocations(RecordIndex index, Snapshot snapshot) implements ValueLocations {

  @Override
  public long size() {
    return index.size();
  }

  @Override
  public void locate(long[] ordinals, long[] positions, int[] lengths) {
    for (int i = 0; i < ordinals.length; i++) {
      positions[i] = index.offset(ordinals[i]);
      lengths[i] = MappedData.length(index.length(ordinals[i]));
    }
  }

  @Override
  public MemorySegment key(long ordinal) {
    return index.key(snapshot, ordinal);
  }
}
