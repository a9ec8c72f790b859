package dev.tandem.data;

/** Records by ordinal. Reading is safe from several threads; what it lends dies with the source. */
public interface RecordSource extends AutoCloseable {

  /** Number of records. */
  long size();

  /** The record with this ordinal, {@code 0 <= ordinal < size()}. */
  DataRecord record(long ordinal);

  @Override
  void close();
}
