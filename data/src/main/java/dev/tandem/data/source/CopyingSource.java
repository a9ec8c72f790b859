package dev.tandem.data.source;

import dev.tandem.data.DataRecord;
import dev.tandem.data.HeldRecords;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;

/**
 * A source whose records are made when they are asked for, in memory of the garbage collector's.
 */
abstract class CopyingSource implements RecordSource {

  @Override
  public final DataRecord record(long ordinal) {
    if (ordinal < 0 || ordinal >= size()) {
      throw new IndexOutOfBoundsException("record " + ordinal + " of " + size());
    }
    return make(ordinal);
  }

  /** Makes the record of a valid ordinal; called by several threads at once. */
  abstract DataRecord make(long ordinal);

  /** Makes all records now, so that the reading happens here. */
  @Override
  public final RecordBlock fetch(long[] ordinals) {
    DataRecord[] records = new DataRecord[ordinals.length];
    for (int i = 0; i < ordinals.length; i++) {
      records[i] = record(ordinals[i]);
    }
    return new HeldRecords(records);
  }
}
