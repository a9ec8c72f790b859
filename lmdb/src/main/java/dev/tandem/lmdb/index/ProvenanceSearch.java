package dev.tandem.lmdb.index;

import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.index.AllocationModel.UnknownLayoutException;
import dev.tandem.lmdb.page.Meta;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.page.PageView;
import dev.tandem.lmdb.page.Pages;
import dev.tandem.lmdb.page.TreeDescription;
import java.util.Optional;

/** Derives a {@link Provenance} from the tree of a database, whose leaves stay mostly unread. */
final class ProvenanceSearch {

  /** Records to compute before giving up: seconds. */
  private static final long MOST_RECORDS = 200_000_000;

  private static final int SAMPLED_LEAVES = 16;

  private final Database database;
  private final Pages pages;
  private final Meta meta;
  private final TreeDescription tree;
  private long[] leaves;
  private long computed;

  /** Where the records of the last candidate were not, although all known pages were. */
  private Optional<String> difference = Optional.empty();

  ProvenanceSearch(Database database) {
    this.database = database;
    this.pages = database.pages();
    this.meta = pages.meta();
    this.tree = database.tree();
  }

  private static UnknownLayoutException unknown(String reason) {
    return new UnknownLayoutException(reason);
  }

  Provenance search() {
    if (database.name().isPresent() || tree.flags() != 0 || tree.entries() < 1) {
      throw unknown("only a main database with records and without flags has a provenance");
    }
    if (meta.transaction() > tree.entries()) {
      throw unknown(
          "%,d transactions were committed for %,d records"
              .formatted(meta.transaction(), tree.entries()));
    }
    leaves = TreePages.leaves(database).numbers();
    UnknownLayoutException last = null;
    for (Provenance.Order order : Provenance.Order.values()) {
      try {
        return withCommits(shape(order));
      } catch (UnknownLayoutException e) {
        last = e;
      }
    }
    throw last;
  }

  /** Everything but the commits, from the first record, for an order of adding. */
  private Provenance shape(Provenance.Order order) {
    PageView leaf = new PageView(pages);
    leaf.load(leaves[0], pages.copy(leaves[0]), 0, false, -1);
    int node = leaf.node(0);
    if ((leaf.flags(node) & ~PageFormat.BIG_DATA) != 0) {
      throw unknown("the first record is a named database");
    }
    int keySize = leaf.keySize(0);
    long size = leaf.valueLength(node);
    int pageSize = pages.pageSize();
    int usable = pageSize - PageFormat.PAGE_HEADER;
    boolean inLeaf = PageFormat.NODE_HEADER + keySize + size <= PageFormat.maxNode(pageSize);
    long stored = (long) PageFormat.NODE_HEADER + keySize + (inLeaf ? size : Long.BYTES);
    int capacity = (int) (usable / (even(stored) + 2));
    int branchNode = (int) even(PageFormat.NODE_HEADER + (long) keySize) + 2;
    int branchCapacity = (usable - (PageFormat.NODE_HEADER + 2)) / branchNode + 1;
    int perLeaf = order == Provenance.Order.APPENDED ? capacity : capacity - 1;
    Provenance shape =
        new Provenance(
            Long.MAX_VALUE,
            perLeaf,
            branchCapacity - 1,
            Math.toIntExact(size),
            order,
            PageFormat.META_PAGES,
            keySize,
            pageSize);
    long expected =
        order == Provenance.Order.APPENDED
            ? Math.ceilDiv(tree.entries(), (long) perLeaf)
            : Math.max(1, Math.ceilDiv(tree.entries() - 1, (long) perLeaf));
    if (leaves.length != expected) {
      throw unknown(
          "%,d records of one size added in ascending order would fill %,d leaves, it has %,d"
              .formatted(tree.entries(), expected, leaves.length));
    }
    long overflow = inLeaf ? 0 : PageFormat.overflowPagesFor(size, pageSize) * tree.entries();
    if (tree.overflowPages() != overflow) {
      throw unknown(
          "%,d values of %,d bytes would take %,d overflow pages, it has %,d"
              .formatted(tree.entries(), size, overflow, tree.overflowPages()));
    }
    return shape;
  }

  private static long even(long size) {
    return (size + 1) & -2;
  }

  /**
   * Finds the records per transaction. A commit moves the pages of the tree's right edge, so the
   * first leaf that is not where it would be without commits tells the first commit to a leaf.
   */
  private Provenance withCommits(Provenance shape) {
    long records = tree.entries();
    long transactions = meta.transaction();
    if (transactions == 1) {
      Provenance single = shape.withCommits(records);
      if (follows(single)) {
        return single;
      }
      throw unknown(
          difference.orElse(
              "its pages are not where one transaction in ascending order puts them"));
    }
    // Those that make as many transactions as there were.
    long least = Math.ceilDiv(records, transactions);
    long most = Math.ceilDiv(records, transactions - 1) - 1;
    long moved = (long) agreeing(shape) * shape.recordsPerLeaf();
    for (long every = Math.max(least, moved); every <= most; every++) {
      if (every > moved + shape.recordsPerLeaf() + 1) {
        break;
      }
      if (follows(shape.withCommits(every))) {
        return shape.withCommits(every);
      }
    }
    // Pages that commits freed and that were used again may lie as if nothing had moved.
    for (long every = least; every <= Math.min(most, moved - 1); every++) {
      if (follows(shape.withCommits(every))) {
        return shape.withCommits(every);
      }
    }
    throw unknown(
        difference.orElse(
            "its pages are not where %,d transactions of equally many records put them"
                .formatted(transactions)));
  }

  /** Leading leaves that are where the parameters say. */
  private int agreeing(Provenance candidate) {
    return compare(candidate).agreed;
  }

  /**
   * All pages of the tree that are known without reading leaves are where the parameters say, and
   * so are the records of some leaves: in a small tree several parameters explain the pages.
   */
  private boolean follows(Provenance candidate) {
    Comparison comparison = compare(candidate);
    if (comparison.agreed != leaves.length
        || comparison.model.root() != tree.root()
        || comparison.model.depth() != tree.depth()
        || comparison.model.lastPage() != meta.lastPage()) {
      return false;
    }
    difference = sample(candidate);
    return difference.isEmpty();
  }

  private Comparison compare(Provenance candidate) {
    Comparison comparison = new Comparison(candidate);
    try {
      comparison.model.add(tree.entries(), comparison::goOn);
    } catch (AllocationModel.LongFreeListException e) {
      // Another candidate may need no such list.
      comparison.agreed = Math.min(comparison.agreed, leaves.length - 1);
    }
    return comparison;
  }

  /** Compares computed leaves with those there are, up to the first difference. */
  private final class Comparison {

    private final LayoutModel model;
    private int agreed;
    private boolean differs;

    Comparison(Provenance candidate) {
      this.model = new LayoutModel(candidate, (offset, stride, length, count) -> {}, this::leaf);
    }

    private void leaf(long page, int records) {
      if (!differs && agreed < leaves.length && leaves[agreed] == page) {
        agreed++;
      } else {
        differs = true;
      }
    }

    boolean goOn() {
      if (++computed > MOST_RECORDS) {
        throw unknown("no parameters were found within %,d computed records".formatted(computed));
      }
      return !differs;
    }
  }

  /** Where the records of some leaves are not where the parameters say. */
  private Optional<String> sample(Provenance candidate) {
    ComputedLocations locations = new ComputedLocations(database, candidate, false);
    int step = Math.max(1, (leaves.length - 1) / (SAMPLED_LEAVES - 1));
    for (int leaf = leaves.length - 1; leaf >= 0; leaf -= step) {
      Optional<String> found = locations.difference(leaf);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }
}
