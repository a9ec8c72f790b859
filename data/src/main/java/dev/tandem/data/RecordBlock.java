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

  @Override
  void close();
}
