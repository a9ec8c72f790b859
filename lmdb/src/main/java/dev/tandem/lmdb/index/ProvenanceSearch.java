package dev.tandem.lmdb.index;

import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.page.TreeDescription;
import java.util.Optional;

/** Derives a {@link Provenance} from the layout of a database, and tries it. */
final class ProvenanceSearch {

  private final Database database;
  private final RecordIndex index;

  ProvenanceSearch(Database database, RecordIndex index) {
    this.database = database;
    this.index = index;
  }

  Provenance.Derivation search() {
    try {
      Provenance uncommitted = shape();
      long commitEvery = commitEvery(uncommitted);
      Provenance found = withCommits(uncommitted, commitEvery);
      long agreeing = agreeing(found, index.size());
      String reason =
          agreeing == index.size()
              ? ""
              : "the places of " + (index.size() - agreeing) + " records do not follow from them";
      return new Provenance.Derivation(Optional.of(found), reason, agreeing);
    } catch (AllocationModel.UnknownLayoutException e) {
      return new Provenance.Derivation(Optional.empty(), e.getMessage(), 0);
    }
  }

  private static AllocationModel.UnknownLayoutException unknown(String reason) {
    return new AllocationModel.UnknownLayoutException(reason);
  }

  /** Everything but the commits, from the sizes of records and leaves. */
  private Provenance shape() {
    TreeDescription tree = database.tree();
    if (database.name().isPresent() || tree.flags() != 0 || index.size() == 0) {
      throw unknown("only a plain main database with records has a provenance");
    }
    long size = index.length(0);
    for (long i = 1; i < index.size(); i++) {
      if (index.length(i) != size) {
        throw unknown("records differ in size: " + size + " and " + index.length(i) + " bytes");
      }
    }
    Cursor cursor = database.cursor();
    cursor.first();
    int keySize = (int) cursor.key().byteSize();
    cursor.last();
    if (cursor.key().byteSize() != keySize) {
      throw unknown("keys differ in size");
    }
    int pageSize = index.binding().pageSize();
    int usable = pageSize - PageFormat.PAGE_HEADER;
    long node = PageFormat.NODE_HEADER + keySize + size;
    long inLeaf =
        node <= PageFormat.maxNode(pageSize)
            ? node
            : (long) PageFormat.NODE_HEADER + keySize + Long.BYTES;
    int capacity = (int) (usable / (even(inLeaf) + 2));
    int branchNode = (int) even(PageFormat.NODE_HEADER + (long) keySize) + 2;
    int branchCapacity = (usable - (PageFormat.NODE_HEADER + 2)) / branchNode + 1;
    int recordsPerLeaf = recordsPerLeaf(capacity);
    return new Provenance(
        Long.MAX_VALUE,
        recordsPerLeaf,
        branchCapacity - 1,
        Math.toIntExact(size),
        recordsPerLeaf == capacity ? Provenance.Order.APPENDED : Provenance.Order.ASCENDING,
        PageFormat.META_PAGES,
        keySize,
        pageSize);
  }

  private static long even(long size) {
    return (size + 1) & -2;
  }

  private int recordsPerLeaf(int capacity) {
    LeafTable leaves = index.leaves();
    if (leaves.size() == 1) {
      return capacity - 1;
    }
    long first = leaves.first(1);
    for (int i = 1; i < leaves.size() - 1; i++) {
      if (leaves.first(i + 1) - leaves.first(i) != first) {
        throw unknown(
            "leaves have "
                + first
                + " and "
                + (leaves.first(i + 1) - leaves.first(i))
                + " records: they were not filled in ascending order");
      }
    }
    if (first != capacity && first != capacity - 1) {
      throw unknown("leaves have " + first + " records where " + capacity + " have room");
    }
    return (int) first;
  }

  private static Provenance withCommits(Provenance shape, long commitEvery) {
    return new Provenance(
        commitEvery,
        shape.recordsPerLeaf(),
        shape.childrenPerBranch(),
        shape.recordSize(),
        shape.order(),
        shape.metaPages(),
        shape.keySize(),
        shape.pageSize());
  }

  /**
   * Records a transaction. A commit moves the pages of the tree's right edge, so without commits
   * the model agrees exactly up to the first one. Where values lie in leaves this gives a leaf, and
   * the number of transactions decides within it.
   */
  private long commitEvery(Provenance uncommitted) {
    long transactions = index.binding().transaction();
    long size = index.size();
    if (transactions <= 1) {
      return size;
    }
    long first = firstDifference(uncommitted, size);
    if (first == size) {
      return size;
    }
    boolean inLeaf = index.offset(0) % uncommitted.pageSize() != PageFormat.PAGE_HEADER;
    if (!inLeaf) {
      return first;
    }
    long last = first + uncommitted.recordsPerLeaf() + 1;
    long least = (size + transactions - 1) / transactions;
    Candidate best = best(uncommitted, Math.max(least, first), last);
    if (best.agreed < size) {
      // Pages that commits gave free and that were used again may lie as if nothing had moved.
      Candidate earlier = best(uncommitted, least, first - 1);
      best = earlier.agreed > best.agreed ? earlier : best;
    }
    if (best.agreed < 0) {
      throw unknown(transactions + " transactions of equal size do not make this layout");
    }
    return best.every;
  }

  /**
   * Records a transaction.
   *
   * @param agreed so many of the first records are where it says; -1 if it is impossible
   */
  private record Candidate(long every, long agreed) {}

  /** The best of those that make as many transactions as there were; the first that fits all. */
  private Candidate best(Provenance uncommitted, long from, long to) {
    long transactions = index.binding().transaction();
    long size = index.size();
    Candidate best = new Candidate(0, -1);
    for (long every = Math.max(1, from); every <= to && best.agreed < size; every++) {
      if ((size + every - 1) / every == transactions) {
        long agreed = firstDifference(withCommits(uncommitted, every), size);
        if (agreed > best.agreed) {
          best = new Candidate(every, agreed);
        }
      }
    }
    return best;
  }

  /** The first record that is not where the parameters say; stops computing there. */
  private long firstDifference(Provenance provenance, long records) {
    Comparison comparison = new Comparison();
    LayoutModel model = new LayoutModel(provenance, comparison);
    model.add(records, comparison::agrees);
    return comparison.agreed;
  }

  /** Compares computed places with the index as they come. */
  private final class Comparison implements Runs.Sink {

    private long agreed;
    private boolean differs;

    boolean agrees() {
      return !differs;
    }

    @Override
    public void run(long offset, long stride, long length, long count) {
      for (long i = 0; i < count && !differs; i++) {
        if (index.offset(agreed) == offset + stride * i) {
          agreed++;
        } else {
          differs = true;
        }
      }
    }
  }

  private long agreeing(Provenance provenance, long records) {
    Provenance.Offsets offsets = provenance.offsets(records);
    long agreeing = 0;
    for (long i = 0; i < records; i++) {
      if (offsets.offset(i) == index.offset(i)) {
        agreeing++;
      }
    }
    return agreeing;
  }
}
