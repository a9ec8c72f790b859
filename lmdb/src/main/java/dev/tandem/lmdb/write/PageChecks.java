package dev.tandem.lmdb.write;

import dev.tandem.lmdb.page.PageFormat;
import java.nio.ByteBuffer;

/** Checks that a page from a file can be worked on without reading or writing outside it. */
final class PageChecks {

  private PageChecks() {}

  static void check(NodePage page, long number, PageSpace space) {
    ByteBuffer bytes = page.bytes;
    int size = bytes.capacity();
    int flags = page.flags();
    if (PageFormat.pageNumber(bytes, 0) != number) {
      throw space.damaged(number, 0, "the page says it is " + PageFormat.pageNumber(bytes, 0));
    }
    if (flags != PageFormat.BRANCH
        && flags != PageFormat.LEAF
        && flags != (PageFormat.LEAF | PageFormat.LEAF2)) {
      throw space.damaged(number, 10, "a tree page has flags 0x" + Integer.toHexString(flags));
    }
    int lower = page.lower();
    int upper = page.upper();
    if (lower < PageFormat.PAGE_HEADER || (lower & 1) != 0 || lower > upper) {
      throw space.damaged(number, 12, "free space from " + lower + " to " + upper);
    }
    if (page.isPacked()) {
      int keySize = page.packedSize();
      if (keySize == 0 || PageFormat.PAGE_HEADER + (long) page.count() * keySize > size) {
        throw space.damaged(number, 8, page.count() + " keys of " + keySize + " bytes do not fit");
      }
      return;
    }
    if (upper > size) {
      throw space.damaged(number, 14, "free space from " + lower + " to " + upper);
    }
    int count = page.count();
    if (count == 0) {
      throw space.damaged(number, 12, "a tree page is empty");
    }
    int total = 0;
    for (int i = 0; i < count; i++) {
      checkNode(page, i, upper, space);
      total += page.nodeBytes(i);
    }
    if (total > size - upper) {
      throw space.damaged(number, 14, "nodes overlap");
    }
  }

  private static void checkNode(NodePage page, int index, int upper, PageSpace space) {
    ByteBuffer bytes = page.bytes;
    int size = bytes.capacity();
    int offset = PageFormat.PAGE_HEADER + 2 * index;
    int node = page.node(index);
    if (node < upper || (node & 1) != 0 || node + PageFormat.NODE_HEADER > size) {
      throw space.damaged(page.number(), offset, "node offset " + node);
    }
    long end = (long) node + PageFormat.NODE_HEADER + PageFormat.nodeKeySize(bytes, node);
    if (!page.isBranch()) {
      int flags = PageFormat.nodeFlags(bytes, node);
      long data = PageFormat.nodeDataSize(bytes, node);
      if ((flags & PageFormat.BIG_DATA) != 0) {
        data = Long.BYTES;
      } else if ((flags & PageFormat.SUB_DATA) != 0 && data != PageFormat.DATABASE_RECORD) {
        throw space.damaged(page.number(), node, "a database record of " + data + " bytes");
      }
      end += data;
    }
    if (end > size) {
      throw space.damaged(page.number(), node, "a node ends after its page");
    }
  }

  /** True if these bytes are a sub-page that can be worked on. */
  static boolean isSubPage(NodePage page, boolean packed) {
    int size = page.bytes.capacity();
    if (size < PageFormat.PAGE_HEADER
        || (page.flags() & PageFormat.LEAF) == 0
        || page.isPacked() != packed
        || page.lower() < PageFormat.PAGE_HEADER
        || page.lower() > page.upper()
        || page.count() == 0) {
      return false;
    }
    if (packed) {
      int item = page.packedSize();
      return item > 0 && PageFormat.PAGE_HEADER + (long) page.count() * item <= size;
    }
    int total = 0;
    for (int i = 0; i < page.count(); i++) {
      int node = PageFormat.PAGE_HEADER + 2 * i < size - 1 ? page.node(i) : size;
      if (node < page.upper()
          || node + PageFormat.NODE_HEADER > size
          || node + page.nodeBytes(i) > size) {
        return false;
      }
      total += page.nodeBytes(i);
    }
    return total <= size - page.upper();
  }
}
