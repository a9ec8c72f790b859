package dev.tandem.lmdb.write;

import dev.tandem.lmdb.page.PageFormat;
import java.nio.ByteBuffer;

/**
 * Values of a tree without duplicates: inside the leaf if they are small, on overflow pages if not.
 * Works at the position that the tree has found, whose pages are writable.
 */
final class ValueStore {

  private final WriteTree tree;
  private final PageSpace space;
  private final NewNode node = new NewNode();

  ValueStore(WriteTree tree) {
    this.tree = tree;
    this.space = tree.space();
  }

  /**
   * Adds a key with its value, and makes the pages writable first.
   *
   * @param value from its position on; null reserves {@code size} bytes for {@link #replace}
   */
  void insert(byte[] key, int length, int flags, ByteBuffer value, int size, boolean append) {
    if (tree.record().isEmpty()) {
      tree.addRoot();
    } else {
      tree.touch();
    }
    tree.insert(node.leaf(key, length, flags, value, size), append);
    tree.record().entries++;
  }

  /** Stores another value; one that fits where the old one is takes no new pages. */
  void replace(byte[] key, int length, int flags, ByteBuffer value, int size) {
    NodePage leaf = tree.leaf();
    int at = tree.position();
    if (isOutside()) {
      long first = leaf.bytes.getLong(leaf.dataAt(at));
      if (space.ownsRun(first)
          && space.runPages(first) >= PageFormat.overflowPagesFor(size, space.pageSize())) {
        leaf.dataSize(at, size);
        space.rewriteRun(first, value, size);
        return;
      }
      release();
    } else if (leaf.dataSize(at) == size) {
      if (value != null) {
        leaf.bytes.put(leaf.dataAt(at), value, value.position(), size);
      }
      return;
    }
    tree.replace(node.leaf(key, length, flags, value, size));
  }

  /** Gives the pages back that the value has outside its leaf. */
  void release() {
    if (isOutside()) {
      long first = tree.leaf().bytes.getLong(tree.leaf().dataAt(tree.position()));
      tree.record().overflowPages -= space.releaseRun(first);
    }
  }

  /** A copy of the value. */
  byte[] read() {
    NodePage leaf = tree.leaf();
    int at = tree.position();
    if (isOutside()) {
      return space.readRun(leaf.bytes.getLong(leaf.dataAt(at)), leaf.dataSize(at));
    }
    byte[] value = new byte[(int) leaf.dataSize(at)];
    leaf.bytes.get(leaf.dataAt(at), value);
    return value;
  }

  private boolean isOutside() {
    return (tree.leaf().nodeFlags(tree.position()) & PageFormat.BIG_DATA) != 0;
  }
}
