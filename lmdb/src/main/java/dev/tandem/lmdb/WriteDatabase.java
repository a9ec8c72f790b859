package dev.tandem.lmdb;

import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.BooleanSupplier;

/**
 * One database within a write transaction. Keys have 1 to 511 bytes. Buffers are read from their
 * position to their limit and left as they were; nothing keeps a reference to them. Good until the
 * transaction ends, and on its thread only.
 */
public final class WriteDatabase {

  private static final int INT = 4;
  private static final int LONG = 8;

  private final WriteTransaction transaction;
  private final PageSpace space;
  private final String name;
  private final byte[] scratch = new byte[PageFormat.MAX_KEY];
  private final NewNode node = new NewNode();
  private WriteTree tree;
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
    check();
    checkKey(key.length);
    boolean[] found = new boolean[1];
    byte[][] value = new byte[1][];
    change(
        () -> {
          found[0] = tree.seek(key, key.length);
          if (found[0]) {
            value[0] = valueAtPosition();
          }
          return false;
        });
    return value[0];
  }

  /** Removes a key with all its values; false if it is not there. */
  public boolean delete(byte[] key) {
    check();
    checkKey(key.length);
    return change(() -> deleteKey(key, key.length, false));
  }

  /** As {@link #delete(byte[])}. */
  public boolean delete(ByteBuffer key) {
    check();
    int length = copyKey(key);
    return change(() -> deleteKey(scratch, length, false));
  }

  /** Removes one value of a key; false if the key does not have it. */
  public boolean delete(byte[] key, byte[] value) {
    check();
    checkKey(key.length);
    return change(
        () -> {
          if (!tree.seek(key, key.length)) {
            return false;
          }
          refuseDatabase(key, key.length);
          if (duplicates != null) {
            checkDuplicate(value.length);
            return duplicates.remove(value);
          }
          return ByteBuffer.wrap(value).equals(ByteBuffer.wrap(valueAtPosition()))
              && deleteKey(key, key.length, false);
        });
  }

  /** Removes everything; the main database's named databases too. */
  public void clear() {
    check();
    boolean main = name.isEmpty();
    if (main) {
      transaction.forgetNamed();
    }
    change(
        () -> {
          tree.dropAll(main || duplicates != null);
          return true;
        });
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
    check();
    checkKey(length);
    if (duplicates != null) {
      checkDuplicate(value.remaining());
    }
    return change(() -> store(key, length, value, mode));
  }

  private boolean store(byte[] key, int length, ByteBuffer value, Mode mode) {
    boolean exists = mode == Mode.APPEND ? seekEnd(key, length) : tree.seek(key, length);
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
      replaceValue(key, length, 0, value);
    } else {
      insert(key, length, 0, value, mode == Mode.APPEND);
    }
    return true;
  }

  /** Goes behind the last key; true if that is the key itself and may have another value. */
  private boolean seekEnd(byte[] key, int length) {
    if (!tree.seekLast()) {
      return false;
    }
    NodePage leaf = tree.leaf();
    int last = tree.position();
    int comparison =
        tree.order().compare(key, length, leaf.bytes, leaf.keyAt(last), leaf.keySize(last));
    if (comparison < 0 || (comparison == 0 && duplicates == null)) {
      throw new UsageException(
          "unsorted append to database "
              + title()
              + ": key "
              + Keys.show(key, length)
              + " does not sort after the last key "
              + Keys.show(leaf.key(last)));
    }
    if (comparison > 0) {
      tree.seekEnd();
    }
    return comparison == 0;
  }

  private void insert(byte[] key, int length, int flags, ByteBuffer value, boolean append) {
    if (tree.record().isEmpty()) {
      tree.addRoot();
    } else {
      tree.touch();
    }
    tree.insert(node.leaf(key, length, flags, value, value.remaining()), append);
    tree.record().entries++;
  }

  private void replaceValue(byte[] key, int length, int flags, ByteBuffer value) {
    NodePage leaf = tree.leaf();
    int at = tree.position();
    int size = value.remaining();
    if ((leaf.nodeFlags(at) & PageFormat.BIG_DATA) != 0) {
      long first = leaf.bytes.getLong(leaf.dataAt(at));
      if (space.ownsRun(first)
          && space.runPages(first) >= PageFormat.overflowPagesFor(size, space.pageSize())) {
        leaf.dataSize(at, size);
        space.rewriteRun(first, value, size);
        return;
      }
      tree.record().overflowPages -= space.releaseRun(first);
    } else if (leaf.dataSize(at) == size) {
      leaf.bytes.put(leaf.dataAt(at), value, value.position(), size);
      return;
    }
    tree.replace(node.leaf(key, length, flags, value, size));
  }

  private boolean deleteKey(byte[] key, int length, boolean databases) {
    if (!tree.seek(key, length)) {
      return false;
    }
    if (!databases) {
      refuseDatabase(key, length);
    }
    tree.touch();
    NodePage leaf = tree.leaf();
    int at = tree.position();
    int flags = leaf.nodeFlags(at);
    if ((flags & PageFormat.DUP_DATA) != 0) {
      tree.record().entries -= duplicates.removeAll();
    } else {
      tree.record().entries--;
      if ((flags & PageFormat.BIG_DATA) != 0) {
        long first = leaf.bytes.getLong(leaf.dataAt(at));
        tree.record().overflowPages -= space.releaseRun(first);
      }
    }
    tree.remove();
    return true;
  }

  private byte[] valueAtPosition() {
    NodePage leaf = tree.leaf();
    int at = tree.position();
    int flags = leaf.nodeFlags(at);
    if ((flags & PageFormat.DUP_DATA) != 0) {
      return duplicates.first();
    }
    byte[] value = new byte[Math.toIntExact(leaf.dataSize(at))];
    if ((flags & PageFormat.BIG_DATA) != 0) {
      space.readRun(leaf.bytes.getLong(leaf.dataAt(at)), ByteBuffer.wrap(value));
    } else {
      leaf.bytes.get(leaf.dataAt(at), value);
    }
    return value;
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
    change(
        () -> {
          if (tree.seek(key, key.length)) {
            tree.touch();
            replaceValue(key, key.length, PageFormat.SUB_DATA, bytes);
          } else {
            insert(key, key.length, PageFormat.SUB_DATA, bytes, false);
          }
          return true;
        });
  }

  /** Removes the record of a named database. */
  void removeRecord(byte[] key) {
    change(() -> deleteKey(key, key.length, true));
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

  /** Runs an operation; if it fails otherwise than by refusing, pages may be half changed. */
  private boolean change(BooleanSupplier operation) {
    space.settle();
    try {
      boolean done = operation.getAsBoolean();
      changed |= done;
      return done;
    } catch (UsageException e) {
      throw e;
    } catch (TandemException | IllegalStateException | IndexOutOfBoundsException e) {
      transaction.fail();
      throw e;
    }
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
    if (length == 0) {
      throw new UsageException("empty key for database " + title() + ": a key has 1 to 511 bytes");
    }
    if (length > PageFormat.MAX_KEY) {
      throw new UsageException(
          "key of " + length + " bytes for database " + title() + ": a key has 1 to 511 bytes");
    }
    if ((record().flags & PageFormat.INTEGER_KEY) != 0 && length != INT && length != LONG) {
      throw new UsageException(
          "key of " + length + " bytes for database " + title() + ": integer keys have 4 or 8");
    }
  }

  private void checkDuplicate(int length) {
    if (length > PageFormat.MAX_KEY) {
      throw new UsageException(
          "value of "
              + length
              + " bytes for database "
              + title()
              + ": with duplicates a value has at most 511 bytes");
    }
    if ((record().flags & PageFormat.INTEGER_DUP) != 0 && length != INT && length != LONG) {
      throw new UsageException(
          "value of " + length + " bytes for database " + title() + ": integers have 4 or 8");
    }
  }

  private String title() {
    return name.isEmpty() ? "main" : name;
  }
}
