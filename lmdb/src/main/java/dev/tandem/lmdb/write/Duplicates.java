package dev.tandem.lmdb.write;

import dev.tandem.core.UsageException;
import dev.tandem.lmdb.page.KeyOrder;
import dev.tandem.lmdb.page.PageFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The values of one key in a database with duplicates. A single value lies in the node as usual; a
 * few share a sub-page inside the node; many have a tree of their own, whose keys they are.
 *
 * <p>Works at the position that the outer tree has found.
 */
final class Duplicates {

  private final WriteTree outer;
  private final WriteTree inner;
  private final SubPages subPages;
  private final KeyOrder order;
  private final boolean fixed;
  private final int innerFlags;
  private final NewNode node = new NewNode();
  private final ByteBuffer nothing = ByteBuffer.allocate(0);

  Duplicates(WriteTree outer, int flags) {
    this.outer = outer;
    this.order = KeyOrder.ofDuplicates(flags);
    this.fixed = (flags & PageFormat.DUP_FIXED) != 0;
    this.subPages = new SubPages(fixed);
    int integer = (flags & PageFormat.INTEGER_DUP) != 0 ? PageFormat.INTEGER_KEY : 0;
    this.innerFlags = fixed ? PageFormat.DUP_FIXED | integer : 0;
    this.inner = new WriteTree(outer.space(), TreeRecord.empty(innerFlags), order, false);
  }

  /** Adds a value at the position; false if the key has it already. */
  boolean put(byte[] key, int length, boolean exists, ByteBuffer value, boolean append) {
    byte[] item = new byte[value.remaining()];
    value.get(value.position(), item);
    if (!exists) {
      insertFirst(key, length, item, append);
    } else {
      int flags = outer.leaf().nodeFlags(outer.position());
      boolean added;
      if ((flags & PageFormat.DUP_DATA) == 0) {
        added = addSecond(key, length, item);
      } else if ((flags & PageFormat.SUB_DATA) == 0) {
        added = addToPage(key, length, item);
      } else {
        added = addToTree(item);
      }
      if (!added) {
        return false;
      }
    }
    outer.record().entries++;
    return true;
  }

  private void insertFirst(byte[] key, int length, byte[] item, boolean append) {
    if (outer.record().isEmpty()) {
      outer.addRoot();
    } else {
      outer.touch();
    }
    int node = PageFormat.NODE_HEADER + length + item.length;
    if (node > PageFormat.maxNode(outer.space().pageSize())) {
      inner.open(emptyTree(item.length));
      inner.addRoot();
      addInner(item);
      outer.insert(treeNode(key, length), append);
    } else {
      outer.insert(this.node.leaf(key, length, 0, ByteBuffer.wrap(item), item.length), append);
    }
  }

  private boolean addSecond(byte[] key, int length, byte[] item) {
    NodePage leaf = outer.leaf();
    int at = outer.position();
    byte[] first = new byte[(int) leaf.dataSize(at)];
    leaf.bytes.get(leaf.dataAt(at), first);
    if (fixed || first.length == 0 || item.length == 0) {
      checkSizes(item.length, first.length);
    }
    int comparison = order.compare(item, item.length, leaf.bytes, leaf.dataAt(at), first.length);
    if (comparison == 0) {
      return false;
    }
    outer.touch();
    int size = subPages.sizeForTwo(first.length, item.length);
    NodePage page = subPages.create(size, leaf.number());
    if (fixed) {
      page.packedSize(item.length);
    }
    subPages.insert(page, 0, first);
    if (fits(length, size)) {
      subPages.insert(page, comparison > 0 ? 1 : 0, item);
      replaceWithPage(key, length, page);
    } else {
      toTree(page, item.length);
      addInner(item);
      outer.replace(treeNode(key, length));
    }
    return true;
  }

  private boolean addToPage(byte[] key, int length, byte[] item) {
    NodePage page = pageAtPosition();
    checkSizes(item.length, page.isPacked() ? page.packedSize() : item.length);
    int found = PageSearch.find(page, order, item, item.length, 0);
    if (found >= 0) {
      return false;
    }
    outer.touch();
    int size = subPages.sizeForOneMore(page, item.length);
    if (fits(length, size)) {
      NodePage grown = subPages.create(size, outer.leaf().number());
      subPages.copyValues(page, grown);
      subPages.insert(grown, ~found, item);
      replaceWithPage(key, length, grown);
    } else {
      toTree(page, item.length);
      addInner(item);
      outer.replace(treeNode(key, length));
    }
    return true;
  }

  private boolean addToTree(byte[] item) {
    inner.open(recordAtPosition());
    checkSizes(item.length, fixed ? inner.record().pad : item.length);
    if (inner.seek(item, item.length)) {
      return false;
    }
    outer.touch();
    addInner(item);
    storeRecord();
    return true;
  }

  /** Removes one value at the position; false if the key does not have it. */
  boolean remove(byte[] item) {
    NodePage leaf = outer.leaf();
    int at = outer.position();
    int flags = leaf.nodeFlags(at);
    if ((flags & PageFormat.DUP_DATA) == 0) {
      int size = (int) leaf.dataSize(at);
      if (size != item.length
          || order.compare(item, item.length, leaf.bytes, leaf.dataAt(at), size) != 0) {
        return false;
      }
      outer.touch();
      outer.remove();
    } else if ((flags & PageFormat.SUB_DATA) == 0) {
      if (!removeFromPage(item)) {
        return false;
      }
    } else if (!removeFromTree(item)) {
      return false;
    }
    outer.record().entries--;
    return true;
  }

  private boolean removeFromPage(byte[] item) {
    NodePage page = pageAtPosition();
    int found = hasSize(page, item) ? PageSearch.find(page, order, item, item.length, 0) : -1;
    if (found < 0) {
      return false;
    }
    outer.touch();
    if (page.count() == 1) {
      outer.remove();
      return true;
    }
    if (page.isPacked()) {
      page.removePacked(found);
    } else {
      page.remove(found);
    }
    NodePage shrunk = subPages.create(subPages.sizeShrunk(page), outer.leaf().number());
    subPages.copyValues(page, shrunk);
    byte[] key = outer.leaf().key(outer.position());
    replaceWithPage(key, key.length, shrunk);
    return true;
  }

  private boolean removeFromTree(byte[] item) {
    inner.open(recordAtPosition());
    if ((fixed && inner.record().pad != item.length) || !inner.seek(item, item.length)) {
      return false;
    }
    outer.touch();
    inner.touch();
    inner.record().entries--;
    inner.remove();
    if (inner.record().entries == 0) {
      outer.remove();
    } else {
      storeRecord();
    }
    return true;
  }

  /** Gives back what lies outside the node at the position, and says how many values there are. */
  long removeAll() {
    if ((outer.leaf().nodeFlags(outer.position()) & PageFormat.SUB_DATA) == 0) {
      return pageAtPosition().count();
    }
    inner.open(recordAtPosition());
    long count = inner.record().entries;
    inner.dropAll(false);
    return count;
  }

  /** The first of several values at the position. */
  byte[] first() {
    if ((outer.leaf().nodeFlags(outer.position()) & PageFormat.SUB_DATA) == 0) {
      return pageAtPosition().key(0);
    }
    inner.open(recordAtPosition());
    inner.seekFirst();
    return inner.leaf().key(0);
  }

  private TreeRecord recordAtPosition() {
    return TreeRecord.read(outer.leaf().bytes, outer.leaf().dataAt(outer.position()));
  }

  private void storeRecord() {
    inner.record().write(outer.leaf().bytes, outer.leaf().dataAt(outer.position()));
  }

  /** Adds a value where the inner tree has been asked for it, or will be. */
  private void addInner(byte[] item) {
    inner.seek(item, item.length);
    inner.touch();
    inner.insert(node.leaf(item, item.length, 0, nothing, 0), false);
    inner.record().entries++;
  }

  private TreeRecord emptyTree(int itemSize) {
    TreeRecord record = TreeRecord.empty(innerFlags);
    record.pad = fixed ? itemSize : 0;
    return record;
  }

  /** Moves the values of a sub-page to a tree. */
  private void toTree(NodePage page, int itemSize) {
    inner.open(emptyTree(itemSize));
    inner.addRoot();
    subPages.copyValues(page, inner.leaf());
    inner.record().entries = page.count();
  }

  private NewNode treeNode(byte[] key, int length) {
    ByteBuffer bytes =
        ByteBuffer.allocate(PageFormat.DATABASE_RECORD).order(ByteOrder.LITTLE_ENDIAN);
    inner.record().write(bytes, 0);
    int flags = PageFormat.DUP_DATA | PageFormat.SUB_DATA;
    return node.leaf(key, length, flags, bytes, PageFormat.DATABASE_RECORD);
  }

  private void replaceWithPage(byte[] key, int length, NodePage page) {
    ByteBuffer bytes = page.bytes.clear();
    outer.replace(node.leaf(key, length, PageFormat.DUP_DATA, bytes, bytes.capacity()));
  }

  private NodePage pageAtPosition() {
    return subPages.copy(outer.leaf(), outer.position(), outer.space());
  }

  private boolean fits(int keyLength, int size) {
    return PageFormat.NODE_HEADER + keyLength + size
        <= PageFormat.maxNode(outer.space().pageSize());
  }

  private static boolean hasSize(NodePage page, byte[] item) {
    return !page.isPacked() || page.packedSize() == item.length;
  }

  private void checkSizes(int size, int stored) {
    if (size == 0 || stored == 0) {
      throw new UsageException("an empty value cannot be one of several of a key");
    }
    if (fixed && size != stored) {
      throw new UsageException(
          "value of "
              + size
              + " bytes where the key's values have "
              + stored
              + ": DUP_FIXED wants one size");
    }
  }
}
