package dev.tandem.data.read;

import dev.tandem.core.Progress;
import dev.tandem.data.read.mode.MappedData;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.index.RecordIndex;
import java.lang.foreign.MemorySegment;

/** Values by the record index, which is built when it is missing. */
record IndexLocations(RecordIndex index, Snapshot snapshot) implements ValueLocations {

  static IndexLocations of(Environment environment, Snapshot snapshot) {
    RecordIndex stored = RecordIndex.openOrBuild(environment.file(), Progress.SILENT);
    // A writer may have committed since the snapshot was taken.
    RecordIndex index =
        stored.describes(snapshot.main())
            ? stored
            : RecordIndex.build(snapshot.main(), false, Progress.SILENT);
    return new IndexLocations(index, snapshot);
  }

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
