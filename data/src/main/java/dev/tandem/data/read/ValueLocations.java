package dev.tandem.data.read;

import java.lang.foreign.MemorySegment;

/** Says where the values of records are in the data file. Thread-safe. */
interface ValueLocations {

  /** Number of records. */
  long size();

  /** Fills in the byte at which each record's value begins, and its length. */
  void locate(long[] ordinals, long[] positions, int[] lengths);

  /** The key of a record; borrowed until the snapshot closes. */
  MemorySegment key(long ordinal);
}
