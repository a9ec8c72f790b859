package dev.tandem.data;

/**
 * A block of records that were looked up already and whose memory is the source's or the garbage
 * collector's, so that closing has nothing to free.
 */
public final class HeldRecords implements RecordBlock {

  private final DataRecord[] records;

  /** Takes the array over. */
  public HeldRecords(DataRecord... records) {
    this.records = records;
  }

  @Override
  public int size() {
    return records.length;
  }

  @Override
  public DataRecord record(int place) {
    return records[place];
  }

  @Override
  public void close() {
    // Nothing to free.
  }
}
