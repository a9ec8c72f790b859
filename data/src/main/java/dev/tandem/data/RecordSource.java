package dev.tandem.data;

import dev.tandem.core.Ranges;

/** Records by ordinal. Reading is safe from several threads; what it lends dies with the source. */
public interface RecordSource extends AutoCloseable {

  /** Number of records. */
  long size();

  /** The record with this ordinal, {@code 0 <= ordinal < size()}. */
  DataRecord record(long ordinal);

  /** Bytes of records that are best fetched together, where a consumer can choose. */
  default long fetchBytes() {
    return 4L << 20;
  }

  /**
   * Brings the records with these ordinals (any order, repetitions allowed) into memory and lends
   * them in the given order. Sources that read ahead or in large requests do it here; by default
   * every record is looked up when the block is asked for it.
   */
  default RecordBlock fetch(long[] ordinals) {
    return new RecordBlock() {
      @Override
      public int size() {
        return ordinals.length;
      }

      @Override
      public DataRecord record(int place) {
        return RecordSource.this.record(ordinals[place]);
      }

      @Override
      public void close() {
        // Every record is the source's own memory.
      }
    };
  }

  /** Whether {@link #fetch(long[], Ranges)} reads less than whole values. */
  default boolean readsParts() {
    return false;
  }

  /**
   * As {@link #fetch(long[])}, but of each value only some of its bytes, one run after the other as
   * the ranges place them; a value that is not as long as the ranges say comes as an empty one.
   * Only of a source that {@link #readsParts}.
   */
  default RecordBlock fetch(long[] ordinals, Ranges parts) {
    throw new UnsupportedOperationException("this source reads whole values");
  }

  @Override
  void close();
}
