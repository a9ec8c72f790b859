package dev.tandem.data.read.mode;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.order.Permutation;

/**
 * Which records every reader takes in every iteration, as Caffe has it: iteration {@code i} takes
 * the places {@code i * batch} to {@code (i + 1) * batch - 1} of an endless sequence of all
 * records, and each reader a contiguous share of them; after the last record comes the first again.
 * Immutable; for any thread.
 */
public final class BatchPlan {

  /** In which order the records follow each other. */
  public enum Access {
    /** In key order, so that each reader's shares lie a batch apart. */
    STRIDED,
    /** By a permutation of all records that depends on the seed alone. */
    SHUFFLED
  }

  private final long records;
  private final int batch;
  private final int readers;
  private final long iterations;
  private final Permutation permutation;

  public BatchPlan(
      long records, int batch, int readers, long iterations, Access access, Seed seed) {
    if (records < 1) {
      throw new UsageException("the database has no records to read");
    }
    if (batch < 1 || readers < 1 || iterations < 0) {
      throw new UsageException(
          "batch %d, readers %d, iterations %d: the first two must be positive, the last not"
                  .formatted(batch, readers, iterations)
              + " negative");
    }
    this.records = records;
    this.batch = batch;
    this.readers = readers;
    this.iterations = iterations;
    this.permutation =
        switch (access) {
          case STRIDED -> null;
          case SHUFFLED -> new Permutation(seed, records);
        };
  }

  /** Number of records of the database. */
  public long records() {
    return records;
  }

  public int batch() {
    return batch;
  }

  public int readers() {
    return readers;
  }

  public long iterations() {
    return iterations;
  }

  /** Records follow each other in key order. */
  public boolean strided() {
    return permutation == null;
  }

  /** Where in the batch the share of a reader begins; the one after the last begins at its end. */
  public int first(int reader) {
    return (int) ((long) batch * reader / readers);
  }

  /** Records of a reader in each iteration; may be 0 if there are more readers than records. */
  public int count(int reader) {
    return first(reader + 1) - first(reader);
  }

  /** The record at a place of the endless sequence. */
  public long ordinal(long place) {
    long within = withinEpoch(place);
    return permutation == null ? within : permutation.at(within);
  }

  /** The place of the first epoch that has the same record as this one. */
  long withinEpoch(long place) {
    return place < records ? place : place % records;
  }

  /** The place after one of the first epoch, again of the first epoch: without a division. */
  long after(long place) {
    return place + 1 < records ? place + 1 : 0;
  }
}
