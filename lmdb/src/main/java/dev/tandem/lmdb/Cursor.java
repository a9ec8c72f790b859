package dev.tandem.lmdb;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A position in a database. Records come in key order, the duplicates of a key one by one in their
 * order, as with liblmdb's MDB_NEXT.
 *
 * <p>A new cursor stands nowhere: {@link #next()} then goes to the first record and {@link
 * #previous()} to the last. A move that finds nothing returns false; after a next or previous the
 * cursor still stands where it stood, after a failed seek it stands nowhere.
 *
 * <p>Segments from {@link #key()} and {@link #value()} are borrowed: read-only views of the mapped
 * file without a copy, valid until the snapshot closes. Where no reader slot protects the snapshot
 * ({@link Snapshot#protectedBySlot()}), call {@link Snapshot#ensureIntact()} after using their
 * bytes. For one thread at a time; needs no closing.
 */
public final class Cursor {

  private final Pages pages;
  private final Database database;
  private final PageBudget budget;
  private final TreeCursor keys;

  /** Null in a database without duplicates. */
  private final TreeCursor duplicates;

  private boolean positioned;
  private boolean amongDuplicates;
  private boolean forward;

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

  Cursor(Pages pages, Database database) {
    this.pages = pages;
    this.database = database;
    this.budget = new PageBudget(pages);
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

  /** Goes to the first record; false if the database is empty. */
  public boolean first() {
    return toEnd(true);
  }

  /** Goes to the last record; false if the database is empty. */
  public boolean last() {
    return toEnd(false);
  }

  private boolean toEnd(boolean first) {
    if (!begin(first)) {
      return false;
    }
    try {
      if (first) {
        keys.first();
      } else {
        keys.last();
      }
      enter(first);
      return found();
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw pages.unreadable(e);
    }
  }

  /** Goes to the following record; false if there is none. */
  public boolean next() {
    if (!positioned) {
      return first();
    }
    try {
      turn(true);
      if (!(amongDuplicates && duplicates.next())) {
        if (!keys.next()) {
          positioned = true;
          return false;
        }
        enter(true);
      }
      return found();
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw pages.unreadable(e);
    }
  }

  /** Goes to the preceding record; false if there is none. */
  public boolean previous() {
    if (!positioned) {
      return last();
    }
    try {
      turn(false);
      if (!(amongDuplicates && duplicates.previous())) {
        if (!keys.previous()) {
          positioned = true;
          return false;
        }
        enter(false);
      }
      return found();
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw pages.unreadable(e);
    }
  }

  /** Goes to the first record whose key is not below this one; false if there is none. */
  public boolean seek(byte[] key) {
    return seek(key, false);
  }

  /** As {@link #seek(byte[])}. */
  public boolean seek(MemorySegment key) {
    return seek(key.toArray(ValueLayout.JAVA_BYTE));
  }

  /** Goes to the first record with exactly this key; false if there is none. */
  public boolean seekExact(byte[] key) {
    return seek(key, true);
  }

  /** As {@link #seekExact(byte[])}. */
  public boolean seekExact(MemorySegment key) {
    return seekExact(key.toArray(ValueLayout.JAVA_BYTE));
  }

  private boolean seek(byte[] key, boolean exact) {
    if (!begin(true)) {
      return false;
    }
    try {
      if (!keys.seek(key) || (exact && !keys.equalsKey(key))) {
        return false;
      }
      enter(true);
      return found();
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw pages.unreadable(e);
    }
  }

  /**
   * Goes to the first duplicate of exactly this key that is not below {@code value} in the order of
   * duplicates (liblmdb's MDB_GET_BOTH_RANGE); false if there is none.
   */
  public boolean seekDuplicate(byte[] key, byte[] value) {
    if (duplicates == null) {
      throw new IllegalStateException("the database has no duplicates");
    }
    if (!seek(key, true)) {
      return false;
    }
    positioned = false;
    try {
      if (amongDuplicates) {
        return duplicates.seek(value) && found();
      }
      PageView leaf = keys.leaf();
      KeyOrder order = KeyOrder.ofDuplicates(database.tree().flags());
      return order.compare(value, leaf.buffer(), leaf.dataAt(node), leaf.dataSize(node)) <= 0
          && found();
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw pages.unreadable(e);
    }
  }

  /**
   * Goes to record {@code ordinal}, counted from 0, duplicates one by one; false if there are fewer
   * records. LMDB keeps no counts in its branches: the first call on a database looks at every leaf
   * once and keeps 12 bytes a leaf until the snapshot closes, later ones cost as much as a seek. A
   * record index has positions and lengths in a file instead.
   */
  public boolean seekOrdinal(long ordinal) {
    if (!begin(true) || ordinal < 0) {
      return false;
    }
    try {
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
      return found();
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw pages.unreadable(e);
    }
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
      duplicateShape = TreeShape.of(pages, tree, true, leaf.filePosition(leaf.dataAt(node)));
      duplicateShapeRoot = tree.root();
    }
    return duplicateShape;
  }

  /** The cursor stands on a record. */
  public boolean positioned() {
    return positioned;
  }

  /** The current key, borrowed until the snapshot closes. */
  public MemorySegment key() {
    checkPositioned();
    return pages.slice(keyPosition, keyLength);
  }

  /** The current value, borrowed until the snapshot closes. */
  public MemorySegment value() {
    checkPositioned();
    return pages.slice(valuePosition, valueLength);
  }

  /** Byte of the data file where the current value begins; it lies there in one piece. */
  public long valuePosition() {
    checkPositioned();
    return valuePosition;
  }

  /** Length of the current value in bytes. */
  public long valueLength() {
    checkPositioned();
    return valueLength;
  }

  /** The tree of the current record if it stands for a named database, else null. */
  TreeDescription namedTree() {
    PageView leaf = keys.leaf();
    int kind = leaf.flags(node) & (PageFormat.SUB_DATA | PageFormat.DUP_DATA);
    TreeDescription tree = kind == PageFormat.SUB_DATA ? leaf.tree(node) : null;
    pages.ensureIntact();
    return tree;
  }

  private void checkPositioned() {
    if (!positioned) {
      throw new IllegalStateException("the cursor stands on no record");
    }
  }

  private boolean begin(boolean ahead) {
    positioned = false;
    forward = ahead;
    budget.reset();
    return !database.tree().empty();
  }

  private boolean found() {
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
    pages.ensureIntact();
    positioned = true;
    return true;
  }

  /** Whoever goes back and forth may visit a page often; who goes one way, once. */
  private void turn(boolean ahead) {
    positioned = false;
    if (forward != ahead) {
      forward = ahead;
      budget.reset();
    }
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
