package dev.tandem.lmdb.index;

import dev.tandem.lmdb.Database;
import java.util.Optional;

/**
 * How a database was made, in the six parameters from which the place of every record follows
 * without looking at the database: how often it was committed, records a leaf, children a branch,
 * the size of a record, the order in which they were added, and the number of meta pages. Key and
 * page size go with them.
 *
 * <p>They follow only for a database whose main tree was filled once, by liblmdb's rules, in
 * ascending order, with keys and values of one size each. {@link #derive} says why where they do
 * not; {@link RecordIndex} knows the places in any case.
 *
 * @param commitEvery records a transaction
 * @param recordsPerLeaf records that a leaf keeps when it is full
 * @param childrenPerBranch children that a branch keeps when it is full
 * @param recordSize bytes of each value
 */
public record Provenance(
    long commitEvery,
    int recordsPerLeaf,
    int childrenPerBranch,
    int recordSize,
    Order order,
    int metaPages,
    int keySize,
    int pageSize) {

  /** How records were added. */
  public enum Order {
    /** In ascending order by plain puts. */
    ASCENDING,
    /** In ascending order with MDB_APPEND, which fills leaves completely. */
    APPENDED
  }

  /**
   * What could be derived.
   *
   * @param provenance the parameters, if the layout follows any
   * @param reason why not, in a line; empty if it does
   * @param agreeing records whose computed place is their place
   */
  public record Derivation(Optional<Provenance> provenance, String reason, long agreeing) {}

  /** Derives the parameters of a database from its index, and counts how many places they give. */
  public static Derivation derive(Database database, RecordIndex index) {
    return new ProvenanceSearch(database, index).search();
  }

  /** The computed places of so many records. */
  public Offsets offsets(long records) {
    RunList runs = new RunList();
    new LayoutModel(this, runs).add(records, () -> true);
    return new Offsets(runs.locations(records));
  }

  /** Computed places of records; immutable. */
  public static final class Offsets {

    private final Locations locations;

    private Offsets(Locations locations) {
      this.locations = locations;
    }

    /** Byte of the data file where the value of a record should begin. */
    public long offset(long ordinal) {
      return locations.offset(ordinal);
    }
  }
}
