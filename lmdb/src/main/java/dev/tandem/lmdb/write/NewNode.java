package dev.tandem.lmdb.write;

import dev.tandem.lmdb.page.PageFormat;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A key with its value or child, on its way into a page. Reused from one operation to the next. */
final class NewNode {

  private static final byte[] NO_KEY = {};

  private byte[] key = NO_KEY;
  private int keyLength;
  private int flags;
  private ByteBuffer value;
  private int size;
  private long page = PageFormat.NO_PAGE;
  private boolean branch;
  private boolean big;

  /**
   * A node of a leaf.
   *
   * @param newValue what remains in it; null reserves {@code newSize} bytes to be filled before the
   *     commit
   */
  NewNode leaf(byte[] newKey, int length, int newFlags, ByteBuffer newValue, int newSize) {
    key = newKey;
    keyLength = length;
    flags = newFlags;
    value = newValue;
    size = newSize;
    page = PageFormat.NO_PAGE;
    branch = false;
    big = false;
    return this;
  }

  /** A node of a branch. */
  static NewNode branch(byte[] key, long child) {
    NewNode node = new NewNode();
    node.key = key;
    node.keyLength = key.length;
    node.page = child;
    node.branch = true;
    return node;
  }

  byte[] keyCopy() {
    return Arrays.copyOf(key, keyLength);
  }

  /** Bytes that the node and its offset take in a page of nodes. */
  int bytes(int pageSize) {
    int node = PageFormat.NODE_HEADER + keyLength;
    if (!branch) {
      big = node + (long) size > PageFormat.maxNode(pageSize);
      node += big ? Long.BYTES : size;
    }
    return NodePage.even(node) + 2;
  }

  /** Writes a value that does not stay in the leaf. To be called once, after {@link #bytes}. */
  void place(PageSpace space, TreeRecord record) {
    if (big && !branch && page == PageFormat.NO_PAGE) {
      page = space.writeRun(value, size);
      record.overflowPages += PageFormat.overflowPagesFor(size, space.pageSize());
    }
  }

  /** Adds the node to a page, which has room for it. */
  void insertInto(NodePage to, int index) {
    if (branch) {
      to.insertBranch(index, key, keyLength, page);
      return;
    }
    if (to.isPacked()) {
      to.insertPacked(index, key);
      return;
    }
    int stored = big ? Long.BYTES : size;
    int node = to.open(index, NodePage.even(PageFormat.NODE_HEADER + keyLength + stored));
    ByteBuffer bytes = to.bytes;
    bytes.putInt(node, size);
    bytes.putShort(node + 4, (short) (big ? flags | PageFormat.BIG_DATA : flags));
    bytes.putShort(node + 6, (short) keyLength);
    int at = node + PageFormat.NODE_HEADER;
    bytes.put(at, key, 0, keyLength);
    at += keyLength;
    if (big) {
      bytes.putLong(at, page);
    } else if (value != null) {
      bytes.put(at, value, value.position(), size);
    }
  }

  /** Adds the node without its key: the first of a branch has none. */
  void insertFirst(NodePage to) {
    if (branch) {
      to.insertBranch(0, NO_KEY, 0, page);
    } else {
      insertInto(to, 0);
    }
  }
}
