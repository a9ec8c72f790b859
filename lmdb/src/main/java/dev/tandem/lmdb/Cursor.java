package dev.tandem.lmdb;

import dev.tandem.lmdb.index.RecordIndex;
import dev.tandem.lmdb.page.PageBudget;
import dev.tandem.lmdb.page.Pages;
import dev.tandem.lmdb.page.TreeDescription;
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
  private final boolean empty;
  private final PageBudget budget;
  private final RecordPosition record;
  private boolean positioned;
  private boolean forward;

  Cursor(Pages pages, Database database) {
    this.pages = pages;
    this.empty = database.tree().empty();
    this.budget = new PageBudget(pages);
    this.record = new RecordPosition(pages, database, budget);
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
      record.toEnd(first);
      return found();
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw pages.unreadable(e);
    }
  }

  /** Goes to the following record; false if there is none. */
  public boolean next() {
    return positioned ? step(true) : first();
  }

  /** Goes to the preceding record; false if there is none. */
  public boolean previous() {
    return positioned ? step(false) : last();
  }

  private boolean step(boolean ahead) {
    positioned = false;
    if (forward != ahead) {
      // Whoever goes back and forth may visit a page often; who goes one way, once.
      forward = ahead;
      budget.reset();
    }
    try {
      if (ahead ? record.next() : record.previous()) {
        return found();
      }
      positioned = true;
      return false;
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
    try {
      return begin(true) && record.seek(key, exact) && found();
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw pages.unreadable(e);
    }
  }

  /**
   * Goes to the first duplicate of exactly this key that is not below {@code value} in the order of
   * duplicates (liblmdb's MDB_GET_BOTH_RANGE); false if there is none.
   */
  public boolean seekDuplicate(byte[] key, byte[] value) {
    try {
      return begin(true) && record.seek(key, true) && record.seekDuplicate(value) && found();
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw pages.unreadable(e);
    }
  }

  /**
   * Goes to record {@code ordinal}, counted from 0, duplicates one by one; false if there are fewer
   * records. LMDB keeps no counts in its branches: the first call on a database looks at every leaf
   * once and keeps 12 bytes a leaf until the snapshot closes, later ones cost as much as a seek.
   * {@link RecordIndex} has positions and lengths in a file instead.
   */
  public boolean seekOrdinal(long ordinal) {
    try {
      return begin(true) && ordinal >= 0 && record.seekOrdinal(ordinal) && found();
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw pages.unreadable(e);
    }
  }

  /** The cursor stands on a record. */
  public boolean positioned() {
    return positioned;
  }

  /** The current key, borrowed until the snapshot closes. */
  public MemorySegment key() {
    checkPositioned();
    return pages.slice(record.keyPosition(), record.keyLength());
  }

  /** The current value, borrowed until the snapshot closes. */
  public MemorySegment value() {
    checkPositioned();
    return pages.slice(record.valuePosition(), record.valueLength());
  }

  /** Byte of the data file where the current value begins; it lies there in one piece. */
  public long valuePosition() {
    checkPositioned();
    return record.valuePosition();
  }

  /** Byte of the data file where the current key begins, in its leaf page. */
  public long keyPosition() {
    checkPositioned();
    return record.keyPosition();
  }

  /** Length of the current key in bytes. */
  public int keyLength() {
    checkPositioned();
    return record.keyLength();
  }

  /** Length of the current value in bytes. */
  public long valueLength() {
    checkPositioned();
    return record.valueLength();
  }

  /** The tree of the current record if it stands for a named database, else null. */
  TreeDescription namedTree() {
    try {
      TreeDescription tree = record.namedTree();
      pages.ensureIntact();
      return tree;
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw pages.unreadable(e);
    }
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
    return !empty;
  }

  private boolean found() {
    record.locate();
    pages.ensureIntact();
    positioned = true;
    return true;
  }
}
