package dev.tandem.data;

/**
 * Records that are in memory, lent by a {@link RecordSource} until the block is closed. Several
 * threads may read it at once; one of them closes it, after all are done with it.
 */
public interface RecordBlock extends AutoCloseable {

  /** Number of records. */
  int size();

  /** The record at this place of the fetched list, {@code 0 <= place < size()}. */
  DataRecord record(int place);

  /** Bytes of all values together. */
  default long bytes() {
    long bytes = 0;
    for (int i = 0; i < size(); i++) {
      bytes += record(i).value().byteSize();
    }
    return bytes;
  }

  /**
   * Fails if bytes that were read of this block before the call may not be those of its records,
   * because another process has overwritten them. Call it after reading and before using the
   * result.
   */
  default void ensureIntact() {}

  @Override
  void close();
}
