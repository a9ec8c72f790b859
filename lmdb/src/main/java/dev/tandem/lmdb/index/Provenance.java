package dev.tandem.lmdb.index;

import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.page.LongList;
import java.util.Optional;

/**
 * How a database was made, in the six parameters from which the location of every record follows:
 * how often it was committed, records per leaf, children per branch, the size of a record, the
 * order in which records were added, and the number of meta pages. Key and page size go with them.
 *
 * <p>They hold for the main database of an environment that was filled once, in ascending order of
 * keys, by liblmdb 0.9's rules, with keys of one size and values of one size, without flags, in
 * transactions of equally many records (the last may have fewer), by one writer that no reader
 * disturbed. Values may lie in leaves or on overflow pages, of any number. The free list has to fit
 * into one page, which it does as long as a commit frees fewer than about 500 pages: pages of the
 * tree's right edge, so at any record count.
 *
 * <p>{@link #derive} finds them from the meta page, the branch pages and a few leaves, or says why
 * there are none; {@link RecordIndex#compute} computes all locations from them.
 *
 * @param commitEvery records per transaction
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
   * @param provenance the parameters, if the layout follows from any
   * @param reason why not, in one line; empty if it does
   */
  public record Derivation(Optional<Provenance> provenance, String reason) {}

  /**
   * Derives the parameters of a database. Reads its branch pages and at most 16 of its leaves; the
   * parameters give the number of every page of the tree, and the records of those leaves.
   */
  public static Derivation derive(Database database) {
    try {
      return new Derivation(Optional.of(new ProvenanceSearch(database).search()), "");
    } catch (AllocationModel.UnknownLayoutException e) {
      return new Derivation(Optional.empty(), e.getMessage());
    }
  }

  /** Records whose computed location is the one that an index has. */
  public long agreeing(RecordIndex index) {
    Locations computed = tables(index.size()).locations();
    long agreeing = 0;
    for (long i = 0; i < index.size(); i++) {
      if (computed.offset(i) == index.offset(i) && recordSize == index.length(i)) {
        agreeing++;
      }
    }
    return agreeing;
  }

  Provenance withCommits(long every) {
    return new Provenance(
        every, recordsPerLeaf, childrenPerBranch, recordSize, order, metaPages, keySize, pageSize);
  }

  /** The computed locations of {@code records} records; nothing is read. */
  LocationTables tables(long records) {
    RunList runs = new RunList();
    LongList pages = new LongList();
    LongList counts = new LongList();
    new LayoutModel(
            this,
            runs,
            (page, count) -> {
              pages.add(page);
              counts.add(count);
            })
        .add(records, () -> true);
    LeafTable leaves = LeafTable.ofCounts(array(pages), array(counts));
    return new LocationTables(leaves, runs.locations(records));
  }

  private static long[] array(LongList list) {
    long[] numbers = new long[list.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = list.at(i);
    }
    return numbers;
  }
}
