package dev.tandem.lmdb.index;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.page.DamagedDatabaseException;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.page.PageView;
import dev.tandem.lmdb.page.Pages;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Locations computed from creation parameters. A leaf is compared with the database when a record
 * of it is first asked for: number and kind of the page, and of each node the size of its key, the
 * key itself if keys count, and the location and size of its value. Any thread may use it while the
 * snapshot of the database is open.
 */
final class ComputedLocations {

  private final Database database;
  private final Pages pages;
  private final Provenance provenance;
  private final NumberedKeys keys;
  private final boolean fallBack;
  private final LocationTables computed;

  /** Leaves that were compared; threads that race compare one twice. */
  private final boolean[] confirmed;

  /** Those of the tree, which was read after a difference; or null. */
  private volatile LocationTables exact;

  /**
   * @param fallBack whether a difference is answered by reading the tree, instead of an error
   */
  ComputedLocations(Database database, Provenance provenance, boolean fallBack) {
    this.database = database;
    this.pages = database.pages();
    this.provenance = provenance;
    this.fallBack = fallBack;
    this.computed = provenance.tables(database.size());
    this.confirmed = new boolean[computed.leaves().size()];
    this.keys = numberedKeys();
  }

  /** How keys count, if the first and the last one say so; or null. */
  private NumberedKeys numberedKeys() {
    int width = provenance.keySize();
    long first = number(0, 0);
    int last = confirmed.length - 1;
    long expected = first + database.size() - 1;
    boolean counting =
        first >= 0 && number(last, (int) (database.size() - 1 - first(last))) == expected;
    return counting ? new NumberedKeys(width, first) : null;
  }

  /** The number that a key is, or -1. */
  private long number(int leaf, int entry) {
    int width = provenance.keySize();
    if (width > NumberedKeys.MOST_DIGITS) {
      return -1;
    }
    PageView view = load(leaf);
    return entry < view.count() && view.keySize(entry) == width
        ? NumberedKeys.number(view.buffer().array(), view.keyAt(entry), width)
        : -1;
  }

  private PageView load(int leaf) {
    long page = computed.leaves().page(leaf);
    PageView view = new PageView(pages);
    view.load(page, pages.copy(page), 0, false, -1);
    return view;
  }

  private long first(int leaf) {
    return computed.leaves().first(leaf);
  }

  /** The tables in use. */
  LocationTables tables() {
    return exact != null ? exact : computed;
  }

  /** Tables that are right about this record. */
  LocationTables tables(long ordinal) {
    if (exact != null) {
      return exact;
    }
    int leaf = (int) Math.min(ordinal / provenance.recordsPerLeaf(), confirmed.length - 1L);
    if (!confirmed[leaf]) {
      Optional<String> difference = difference(leaf);
      if (difference.isPresent()) {
        return readTree(difference.get());
      }
      confirmed[leaf] = true;
    }
    return computed;
  }

  private synchronized LocationTables readTree(String difference) {
    if (!fallBack) {
      throw new WorkFailedException(
          "%s does not follow from its creation parameters: %s; locate its records by index"
              .formatted(pages.path(), difference));
    }
    if (exact == null) {
      IndexScan.Result found = IndexScan.scan(database, Progress.SILENT);
      exact = new LocationTables(found.leaves(), found.locations());
    }
    return exact;
  }

  /** What is different in a leaf of the database, in words. */
  Optional<String> difference(int leaf) {
    try {
      String difference = compare(leaf, load(leaf));
      pages.ensureIntactInFile();
      return Optional.ofNullable(difference);
    } catch (DamagedDatabaseException e) {
      return Optional.of(e.getMessage());
    }
  }

  private String compare(int leaf, PageView view) {
    long first = first(leaf);
    long end = leaf + 1 < confirmed.length ? first(leaf + 1) : database.size();
    if (view.count() != end - first) {
      return "leaf %d has %d records instead of %d".formatted(leaf, view.count(), end - first);
    }
    MemorySegment bytes = MemorySegment.ofBuffer(view.buffer());
    for (int i = 0; i < view.count(); i++) {
      long ordinal = first + i;
      int node = view.node(i);
      if ((view.flags(node) & ~PageFormat.BIG_DATA) != 0) {
        return "record %d is a named database".formatted(ordinal);
      }
      if (view.keySize(i) != provenance.keySize()) {
        return "the key of record %d has %d bytes instead of %d"
            .formatted(ordinal, view.keySize(i), provenance.keySize());
      }
      if (view.valueLength(node) != provenance.recordSize()) {
        return "record %d has %d bytes instead of %d"
            .formatted(ordinal, view.valueLength(node), provenance.recordSize());
      }
      if (view.valuePosition(node) != computed.locations().offset(ordinal)) {
        return "record %d is at byte %d instead of %d"
            .formatted(ordinal, view.valuePosition(node), computed.locations().offset(ordinal));
      }
      if (keys != null && !keys.same(ordinal, bytes.asSlice(view.keyAt(i), provenance.keySize()))) {
        return "the key of record %d is not %d".formatted(ordinal, keys.first() + ordinal);
      }
    }
    return null;
  }

  /** How keys count, or null. */
  NumberedKeys keys() {
    return keys;
  }
}
