package dev.tandem.lmdb.write;

import dev.tandem.core.UsageException;
import dev.tandem.lmdb.page.KeyOrder;
import dev.tandem.lmdb.page.PageFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * One database within a write transaction. Keys have 1 to 511 bytes. Buffers are read from their
 * position to their limit and left as they were; nothing keeps a reference to them. Good until the
 * transaction ends, and on its thread only.
 */
public final class WriteDatabase {

  private final WriteTransaction transaction;
  private final PageSpace space;
  private final String name;
  private final byte[] scratch = new byte[PageFormat.MAX_KEY];
  private WriteTree tree;
  private ValueStore values;
  private Duplicates duplicates;
  private boolean changed;
  private boolean dropped;

  WriteDatabase(WriteTransaction transaction, PageSpace space, TreeRecord record, String name) {
    this.transaction = transaction;
    this.space = space;
    this.name = name;
    open(record);
  }

  private void open(TreeRecord record) {
    tree = new WriteTree(space, record, KeyOrder.ofKeys(record.flags), false);
    values = new ValueStore(tree);
    duplicates =
        (record.flags & PageFormat.DUP_SORT) != 0 ? new Duplicates(tree, record.flags) : null;
  }

  String name() {
    return name;
  }

  TreeRecord record() {
    return tree.record();
  }

  boolean isChanged() {
    return changed;
  }

  /** Gives an empty database other flags. */
  void flags(int bits) {
    TreeRecord record = tree.record();
    record.flags = bits;
    open(record);
    changed = true;
  }

  /** Number of values; a key with several counts several times. */
  public long entries() {
    check();
    return tree.record().entries;
  }

  /**
   * Stores a value. A value that the key has is replaced, or gets company where duplicates are
   * allowed.
   */
  public void put(byte[] key, byte[] value) {
    put(key, key.length, ByteBuffer.wrap(value), Mode.REPLACE);
  }

  /** As {@link #put(byte[], byte[])}. */
  public void put(ByteBuffer key, ByteBuffer value) {
    put(scratch, copyKey(key), value, Mode.REPLACE);
  }

  /** Stores a value unless the key has one; false if it has. */
  public boolean putIfAbsent(byte[] key, byte[] value) {
    return put(key, key.length, ByteBuffer.wrap(value), Mode.IF_ABSENT);
  }

  /** As {@link #putIfAbsent(byte[], byte[])}. */
  public boolean putIfAbsent(ByteBuffer key, ByteBuffer value) {
    return put(scratch, copyKey(key), value, Mode.IF_ABSENT);
  }

  /**
   * Stores a key that sorts after all others, filling pages to the end.
   *
   * @throws UsageException if it does not; nothing is stored then
   */
  public void append(byte[] key, byte[] value) {
    put(key, key.length, ByteBuffer.wrap(value), Mode.APPEND);
  }

  /** As {@link #append(byte[], byte[])}. */
  public void append(ByteBuffer key, ByteBuffer value) {
    put(scratch, copyKey(key), value, Mode.APPEND);
  }

  /** Adds a value to those of a key; false if the key has it already. */
  public boolean putDuplicate(byte[] key, byte[] value) {
    check();
    if (duplicates == null) {
      throw new UsageException("database " + title() + " has no duplicates (DUP_SORT)");
    }
    return put(key, key.length, ByteBuffer.wrap(value), Mode.REPLACE);
  }

  /** The value of a key, the first if it has several, or null; also what this transaction wrote. */
  public byte[] get(byte[] key) {
    begin(key.length);
    try {
      return tree.seek(key, key.length) ? valueAtPosition() : null;
    } catch (RuntimeException e) {
      throw failed(e);
    }
  }

  /** Removes a key with all its values; false if it is not there. */
  public boolean delete(byte[] key) {
    begin(key.length);
    return delete(key, key.length);
  }

  /** As {@link #delete(byte[])}. */
  public boolean delete(ByteBuffer key) {
    int length = copyKey(key);
    begin(length);
    return delete(scratch, length);
  }

  private boolean delete(byte[] key, int length) {
    try {
      return tree.seek(key, length) && deleteAtPosition(key, length);
    } catch (RuntimeException e) {
      throw failed(e);
    }
  }

  /** Removes one value of a key; false if the key does not have it. */
  public boolean delete(byte[] key, byte[] value) {
    begin(key.length);
    if (duplicates != null) {
      checkDuplicate(value.length);
    }
    try {
      if (!tree.seek(key, key.length)) {
        return false;
      }
      if (duplicates == null) {
        refuseDatabase(key, key.length);
        return Arrays.equals(value, valueAtPosition()) && deleteAtPosition(key, key.length);
      }
      boolean removed = duplicates.remove(value);
      changed |= removed;
      return removed;
    } catch (RuntimeException e) {
      throw failed(e);
    }
  }

  /** Removes everything; the main database's named databases too. */
  public void clear() {
    check();
    boolean main = name.isEmpty();
    if (main) {
      transaction.forgetNamed();
    }
    space.settle();
    try {
      tree.dropAll(main || duplicates != null);
      changed = true;
    } catch (RuntimeException e) {
      throw failed(e);
    }
  }

  /** Removes a named database; it cannot be used any more. */
  public void drop() {
    check();
    if (name.isEmpty()) {
      throw new UsageException("the main database cannot be dropped; clear it instead");
    }
    clear();
    dropped = true;
    transaction.forget(name);
  }

  /** The main database is cleared and takes this one with it. */
  void forget() {
    dropped = true;
  }

  private enum Mode {
    REPLACE,
    IF_ABSENT,
    APPEND
  }

  private boolean put(byte[] key, int length, ByteBuffer value, Mode mode) {
    begin(length);
    if (duplicates != null) {
      checkDuplicate(value.remaining());
    }
    try {
      boolean stored = store(key, length, value, mode);
      changed |= stored;
      return stored;
    } catch (RuntimeException e) {
      throw failed(e);
    }
  }

  private boolean store(byte[] key, int length, ByteBuffer value, Mode mode) {
    boolean exists = tree.seek(key, length);
    if (mode == Mode.APPEND) {
      refuseUnsorted(key, length, exists);
    }
    if (exists) {
      refuseDatabase(key, length);
      if (mode == Mode.IF_ABSENT) {
        return false;
      }
    }
    if (duplicates != null) {
      return duplicates.put(key, length, exists, value, mode == Mode.APPEND);
    }
    if (exists) {
      tree.touch();
      values.replace(key, length, 0, value, value.remaining());
    } else {
      values.insert(key, length, 0, value, value.remaining(), mode == Mode.APPEND);
    }
    return true;
  }

  private void refuseUnsorted(byte[] key, int length, boolean exists) {
    // Where a key may have several values, the last key may come again.
    boolean another = exists && duplicates != null;
    if (!tree.isAtEnd() && !(another && tree.isAtLast())) {
      tree.seekLast();
      throw new UsageException(
          "unsorted append to database "
              + title()
              + ": key "
              + Keys.show(key, length)
              + " does not sort after the last key "
              + Keys.show(tree.leaf().key(tree.position())));
    }
  }

  private boolean deleteAtPosition(byte[] key, int length) {
    refuseDatabase(key, length);
    tree.touch();
    if (hasSeveralValues()) {
      tree.record().entries -= duplicates.removeAll();
    } else {
      values.release();
      tree.record().entries--;
    }
    tree.remove();
    changed = true;
    return true;
  }

  private byte[] valueAtPosition() {
    return hasSeveralValues() ? duplicates.first() : values.read();
  }

  private boolean hasSeveralValues() {
    return (tree.leaf().nodeFlags(tree.position()) & PageFormat.DUP_DATA) != 0;
  }

  /** The record of a named database, or null. */
  TreeRecord findRecord(byte[] key) {
    checkKey(key.length);
    if (!tree.seek(key, key.length)) {
      return null;
    }
    if (!atDatabase()) {
      throw new UsageException(Keys.show(key) + " is a key of the main database, no database");
    }
    return TreeRecord.read(tree.leaf().bytes, tree.leaf().dataAt(tree.position()));
  }

  /** Stores the record of a named database. */
  void putRecord(byte[] key, TreeRecord record) {
    ByteBuffer bytes =
        ByteBuffer.allocate(PageFormat.DATABASE_RECORD).order(ByteOrder.LITTLE_ENDIAN);
    record.write(bytes, 0);
    int size = bytes.capacity();
    begin(key.length);
    try {
      if (tree.seek(key, key.length)) {
        tree.touch();
        values.replace(key, key.length, PageFormat.SUB_DATA, bytes, size);
      } else {
        values.insert(key, key.length, PageFormat.SUB_DATA, bytes, size, false);
      }
      changed = true;
    } catch (RuntimeException e) {
      throw failed(e);
    }
  }

  /** Removes the record of a named database, whose tree is gone. */
  void removeRecord(byte[] key) {
    begin(key.length);
    try {
      if (tree.seek(key, key.length)) {
        tree.touch();
        tree.record().entries--;
        tree.remove();
        changed = true;
      }
    } catch (RuntimeException e) {
      throw failed(e);
    }
  }

  private boolean atDatabase() {
    int flags = tree.leaf().nodeFlags(tree.position());
    return (flags & (PageFormat.SUB_DATA | PageFormat.DUP_DATA)) == PageFormat.SUB_DATA;
  }

  private void refuseDatabase(byte[] key, int length) {
    if (atDatabase()) {
      throw new UsageException(
          Keys.show(key, length) + " is a named database; open it by name to change it");
    }
  }

  /** To be called before every operation on a key. */
  private void begin(int keyLength) {
    check();
    checkKey(keyLength);
    space.settle();
  }

  /** What to throw: if an operation fails otherwise than by refusing, pages may be half changed. */
  private RuntimeException failed(RuntimeException e) {
    if (!(e instanceof UsageException)) {
      transaction.fail();
    }
    return space.explained(e);
  }

  private void check() {
    transaction.check();
    if (dropped) {
      throw new UsageException("database " + name + " was dropped");
    }
  }

  private int copyKey(ByteBuffer key) {
    int length = key.remaining();
    checkKey(length);
    key.get(key.position(), scratch, 0, length);
    return length;
  }

  private void checkKey(int length) {
    KeyLimits.checkKey(length, record().flags, title());
  }

  private void checkDuplicate(int length) {
    KeyLimits.checkDuplicate(length, record().flags, title());
  }

  private String title() {
    return name.isEmpty() ? "main" : name;
  }
}
