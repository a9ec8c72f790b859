package dev.tandem.lmdb;

import dev.tandem.lmdb.page.KeyOrder;
import dev.tandem.lmdb.page.PageBudget;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.page.PageView;
import dev.tandem.lmdb.page.Pages;
import dev.tandem.lmdb.page.TreeCursor;
import dev.tandem.lmdb.page.TreeDescription;
import dev.tandem.lmdb.page.TreeShape;

/**
 * A record of a database: its key's place in the tree of keys and its value's among that key's
 * duplicates, if it has any. For one thread; {@link Cursor} guards it.
 */
final class RecordPosition {

  private final Pages pages;
  private final Database database;
  private final PageBudget budget;
  private final TreeCursor keys;

  /** Null in a database without duplicates. */
  private final TreeCursor duplicates;

  private boolean amongDuplicates;

  /** Node of the current record's key, in the buffer of the keys' leaf. */
  private int node;

  // Where the current record lies in the file. Taken before the check that the snapshot is intact:
  // the page may be another's afterwards.
  private long keyPosition;
  private int keyLength;
  private long valuePosition;
  private long valueLength;

  /** The shape of the tree of duplicates that {@link #seekOrdinal} used last. */
  private TreeShape duplicateShape;

  private long duplicateShapeRoot = PageFormat.NO_PAGE;

  RecordPosition(Pages pages, Database database, PageBudget budget) {
    this.pages = pages;
    this.database = database;
    this.budget = budget;
    int flags = database.tree().flags();
    this.keys = new TreeCursor(pages, budget, false, KeyOrder.ofKeys(flags));
    this.duplicates =
        database.tree().has(PageFormat.DUP_SORT)
            ? new TreeCursor(pages, budget, true, KeyOrder.ofDuplicates(flags))
            : null;
    if (!database.tree().empty()) {
      keys.open(database.tree(), database.described());
    }
  }

  void toEnd(boolean first) {
    if (first) {
      keys.first();
    } else {
      keys.last();
    }
    enter(first);
  }

  boolean next() {
    if (amongDuplicates && duplicates.next()) {
      return true;
    }
    if (!keys.next()) {
      return false;
    }
    enter(true);
    return true;
  }

  boolean previous() {
    if (amongDuplicates && duplicates.previous()) {
      return true;
    }
    if (!keys.previous()) {
      return false;
    }
    enter(false);
    return true;
  }

  boolean seek(byte[] key, boolean exact) {
    if (!keys.seek(key) || (exact && !keys.equalsKey(key))) {
      return false;
    }
    enter(true);
    return true;
  }

  /** Goes on among the current key's values. */
  boolean seekDuplicate(byte[] value) {
    if (duplicates == null) {
      throw new IllegalStateException("the database has no duplicates");
    }
    if (amongDuplicates) {
      return duplicates.seek(value);
    }
    PageView leaf = keys.leaf();
    KeyOrder order = KeyOrder.ofDuplicates(database.tree().flags());
    return order.compare(value, leaf.buffer(), leaf.dataAt(node), leaf.dataSize(node)) <= 0;
  }

  boolean seekOrdinal(long ordinal) {
    TreeShape shape = database.shape();
    if (ordinal >= shape.entries()) {
      return false;
    }
    int leaf = shape.leafOf(ordinal);
    keys.follow(shape.pathTo(leaf));
    long left = ordinal - shape.firstOf(leaf);
    if (duplicates == null) {
      keys.moveTo((int) left);
      enter(true);
    } else {
      skip(left);
    }
    return true;
  }

  /** Goes on by this many records of a leaf with duplicates, from its beginning. */
  private void skip(long records) {
    PageView leaf = keys.leaf();
    long left = records;
    int entry = 0;
    for (; entry < leaf.count() - 1; entry++) {
      long here = TreeShape.recordsOf(pages, leaf, leaf.node(entry));
      if (left < here) {
        break;
      }
      left -= here;
    }
    keys.moveTo(entry);
    enter(true);
    if (left == 0) {
      return;
    }
    if (!amongDuplicates) {
      throw leaf.damaged(node, "the leaf has fewer values than it had before");
    }
    int within = (int) left;
    if ((leaf.flags(node) & PageFormat.SUB_DATA) != 0) {
      TreeShape shape = shapeOfDuplicates(leaf);
      if (left >= shape.entries()) {
        throw leaf.damaged(node, "the tree of duplicates has fewer values than it says");
      }
      int duplicateLeaf = shape.leafOf(left);
      duplicates.follow(shape.pathTo(duplicateLeaf));
      within = (int) (left - shape.firstOf(duplicateLeaf));
    }
    duplicates.moveTo(within);
  }

  private TreeShape shapeOfDuplicates(PageView leaf) {
    TreeDescription tree = leaf.tree(node);
    if (duplicateShapeRoot != tree.root()) {
      duplicateShape = TreeShape.ofDuplicates(pages, tree, leaf.filePosition(leaf.dataAt(node)));
      duplicateShapeRoot = tree.root();
    }
    return duplicateShape;
  }

  /** The tree of the current record if it stands for a named database, else null. */
  TreeDescription namedTree() {
    PageView leaf = keys.leaf();
    int kind = leaf.flags(node) & (PageFormat.SUB_DATA | PageFormat.DUP_DATA);
    return kind == PageFormat.SUB_DATA ? leaf.tree(node) : null;
  }

  /** Notes where the current record lies in the file. */
  void locate() {
    PageView leaf = keys.leaf();
    keyPosition = leaf.filePosition(node + PageFormat.NODE_HEADER);
    keyLength = PageFormat.nodeKeySize(leaf.buffer(), node);
    if (amongDuplicates) {
      PageView values = duplicates.leaf();
      valuePosition = values.filePosition(values.keyAt(duplicates.position()));
      valueLength = values.keySize(duplicates.position());
    } else {
      valuePosition = leaf.valuePosition(node);
      valueLength = leaf.valueLength(node);
    }
  }

  long keyPosition() {
    return keyPosition;
  }

  int keyLength() {
    return keyLength;
  }

  long valuePosition() {
    return valuePosition;
  }

  long valueLength() {
    return valueLength;
  }

  /** Looks at the node under the keys' cursor and goes to its first or last value. */
  private void enter(boolean first) {
    PageView leaf = keys.leaf();
    node = leaf.node(keys.position());
    int flags = leaf.flags(node);
    amongDuplicates = (flags & PageFormat.DUP_DATA) != 0;
    if (!amongDuplicates) {
      if ((flags & PageFormat.BIG_DATA) != 0) {
        long pagesUsed = PageFormat.overflowPagesFor(leaf.valueLength(node), pages.pageSize());
        budget.spend(pagesUsed, leaf.filePosition(node));
      }
      return;
    }
    if (duplicates == null) {
      throw leaf.damaged(node, "duplicates in a database that has none");
    }
    if ((flags & PageFormat.SUB_DATA) == 0) {
      duplicates.openSubPage(leaf, node);
    } else {
      duplicates.open(leaf.tree(node), leaf.filePosition(leaf.dataAt(node)));
    }
    if (first) {
      duplicates.first();
    } else {
      duplicates.last();
    }
  }
}
