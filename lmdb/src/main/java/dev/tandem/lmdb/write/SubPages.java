package dev.tandem.lmdb.write;

import dev.tandem.lmdb.page.PageFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Makes and reads the small pages inside nodes that hold the few values of one key. */
final class SubPages {

  // liblmdb takes a sub-page for writable only if it is marked dirty, in the file too.
  private static final int FLAGS = PageFormat.LEAF | PageFormat.DIRTY | PageFormat.SUB_PAGE;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final boolean fixed;
  private final NewNode node = new NewNode();

  /** Of values that have one size, or any. */
  SubPages(boolean fixed) {
    this.fixed = fixed;
  }

  /** An empty one of this size. */
  NodePage create(int size, long leafNumber) {
    NodePage page = new NodePage(ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN));
    page.format(leafNumber, fixed ? FLAGS | PageFormat.LEAF2 : FLAGS);
    return page;
  }

  /** A checked copy of the one in a node. */
  NodePage copy(NodePage leaf, int index, PageSpace space) {
    int at = leaf.dataAt(index);
    int size = (int) leaf.dataSize(index);
    ByteBuffer bytes = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put(0, leaf.bytes, at, size);
    NodePage page = new NodePage(bytes);
    if (!PageChecks.isSubPage(page, fixed)) {
      throw space.damaged(leaf.number(), at, "the values of a key make no sense");
    }
    return page;
  }

  /** Adds a value, for which there is room. */
  void insert(NodePage page, int index, byte[] value) {
    node.leaf(value, value.length, 0, NOTHING, 0).insertInto(page, index);
  }

  /** Copies all values of a page to an empty one. */
  void copyValues(NodePage from, NodePage to) {
    if (fixed) {
      to.packedSize(from.packedSize());
    }
    for (int i = 0; i < from.count(); i++) {
      if (fixed) {
        to.insertPacked(i, from.key(i));
      } else {
        to.copy(i, from, i);
      }
    }
  }

  /** Size for two values, with room for two more of fixed size. */
  int sizeForTwo(int first, int second) {
    int size = PageFormat.PAGE_HEADER + first + second;
    return fixed
        ? size + 2 * second
        : size + 2 * (2 + PageFormat.NODE_HEADER) + (first & 1) + (second & 1);
  }

  /** Size with one more value. */
  int sizeForOneMore(NodePage page, int value) {
    int size = page.bytes.capacity();
    if (fixed) {
      return page.room() < value ? size + 4 * value : size;
    }
    return size + NodePage.even(PageFormat.NODE_HEADER + 2 + value);
  }

  /** Size without free space; as it is where less would tear the alignment of nodes. */
  int sizeShrunk(NodePage page) {
    int size = page.bytes.capacity() - page.room();
    return (size & 1) != 0 ? page.bytes.capacity() : size;
  }
}
