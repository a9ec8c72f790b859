package dev.tandem.lmdb.page;

import java.nio.ByteBuffer;

/**
 * A branch page, leaf page or inline sub-page at its place in a buffer, with every offset checked
 * before it is followed. Reused from page to page; for one thread.
 *
 * <p>The buffer may be the mapping or a copy: positions given out are positions in the buffer, and
 * {@link #filePosition(int)} turns them into positions in the file.
 */
public final class PageView {

  private static final int KINDS =
      PageFormat.BRANCH
          | PageFormat.LEAF
          | PageFormat.OVERFLOW
          | PageFormat.META
          | PageFormat.LEAF2
          | PageFormat.SUB_PAGE;

  private final Pages pages;
  private ByteBuffer buffer;
  private int at;
  private int size;
  private long fileStart;
  private int count;

  /** Key size of a LEAF2 page; -1 on others. */
  private int fixedSize;

  public PageView(Pages pages) {
    this.pages = pages;
  }

  /** Looks at a page in the mapping; {@code from} is the byte of the file that names the page. */
  public void load(long page, boolean branch, int fixed, long from) {
    pages.checkPage(page, from);
    load(page, pages.window(page), pages.inWindow(page), branch, fixed);
  }

  /**
   * Looks at a page that the caller has read.
   *
   * @param branch what the page must be for its place in the tree
   * @param fixed the tree's key size for LEAF2 pages, or -1 where no such page may be
   */
  public void load(long page, ByteBuffer source, int sourceAt, boolean branch, int fixed) {
    buffer = source;
    at = sourceAt;
    size = pages.pageSize();
    fileStart = pages.position(page);
    if (PageFormat.pageNumber(buffer, at) != page) {
      throw pages.damaged(
          fileStart,
          "the page says it is page "
              + Long.toUnsignedString(PageFormat.pageNumber(buffer, at))
              + " instead of "
              + page);
    }
    int kind = PageFormat.flags(buffer, at) & KINDS;
    boolean leaf2 = kind == (PageFormat.LEAF | PageFormat.LEAF2);
    if (branch ? kind != PageFormat.BRANCH : kind != PageFormat.LEAF && !(leaf2 && fixed >= 0)) {
      throw pages.damaged(
          fileStart + 10,
          String.format(
              "page flags 0x%02x where a %s page should be", kind, branch ? "branch" : "leaf"));
    }
    readCount(leaf2 ? fixed : -1);
    if (count == 0) {
      throw pages.damaged(fileStart + 12, "the page has no entries");
    }
  }

  /** Looks at the sub-page of duplicates that is the data of a node of {@code parent}. */
  public void loadSubPage(PageView parent, int node) {
    buffer = parent.buffer;
    at = parent.dataAt(node);
    fileStart = parent.filePosition(at);
    size = parent.dataSize(node);
    if (size < PageFormat.PAGE_HEADER) {
      throw pages.damaged(fileStart, "a sub-page of " + size + " bytes is too small");
    }
    int kind = PageFormat.flags(buffer, at) & (KINDS & ~PageFormat.SUB_PAGE);
    boolean leaf2 = kind == (PageFormat.LEAF | PageFormat.LEAF2);
    if (kind != PageFormat.LEAF && !leaf2) {
      throw pages.damaged(
          fileStart + 10, String.format("page flags 0x%02x where a sub-page should be", kind));
    }
    readCount(leaf2 ? PageFormat.pad(buffer, at) : -1);
    if (count == 0) {
      throw pages.damaged(fileStart + 12, "the sub-page has no entries");
    }
  }

  private void readCount(int fixed) {
    fixedSize = fixed;
    int lower = PageFormat.lower(buffer, at);
    // Packed pages count two bytes a key as well, so with keys of one byte this leaves the page.
    if (lower < PageFormat.PAGE_HEADER || (lower > size && fixed < 0) || (lower & 1) != 0) {
      throw pages.damaged(fileStart + 12, "the node table cannot end at byte " + lower);
    }
    count = (lower - PageFormat.PAGE_HEADER) >> 1;
    if (fixed >= 0 && (long) count * fixed > size - PageFormat.PAGE_HEADER) {
      throw pages.damaged(
          fileStart + 12, count + " keys of " + fixed + " bytes do not fit into the page");
    }
  }

  public ByteBuffer buffer() {
    return buffer;
  }

  /** Where in the buffer the page begins. */
  public int at() {
    return at;
  }

  /** Nodes, or packed keys, on this page. */
  public int count() {
    return count;
  }

  /** Packed keys without nodes. */
  boolean packed() {
    return fixedSize >= 0;
  }

  /** Byte of the file at a position of the buffer. */
  public long filePosition(int position) {
    return fileStart + (position - at);
  }

  /** Byte of the file where the page begins. */
  public long start() {
    return fileStart;
  }

  /** Free bytes between the node table and the nodes, or behind the packed keys. */
  public int freeBytes() {
    if (packed()) {
      return size - PageFormat.PAGE_HEADER - count * fixedSize;
    }
    int upper = PageFormat.upper(buffer, at);
    // A page of 64 KiB that ends in free space cannot say so in 16 bits.
    return (upper == 0 ? size : upper) - PageFormat.lower(buffer, at);
  }

  /** Position of a node whose header and key lie within the page. Not for packed pages. */
  public int node(int index) {
    int offset = PageFormat.nodeOffset(buffer, at, index);
    if (offset < PageFormat.PAGE_HEADER + 2 * count || offset > size - PageFormat.NODE_HEADER) {
      throw pages.damaged(
          fileStart + PageFormat.PAGE_HEADER + 2L * index,
          "node " + index + " cannot begin at byte " + offset + " of the page");
    }
    int node = at + offset;
    if (PageFormat.nodeKeySize(buffer, node) > size - PageFormat.NODE_HEADER - offset) {
      throw pages.damaged(filePosition(node) + 6, "the key of node " + index + " leaves the page");
    }
    return node;
  }

  /** Position of key {@code index}, of a node or packed. */
  public int keyAt(int index) {
    return packed()
        ? at + PageFormat.PAGE_HEADER + index * fixedSize
        : node(index) + PageFormat.NODE_HEADER;
  }

  public int keySize(int index) {
    return packed() ? fixedSize : PageFormat.nodeKeySize(buffer, node(index));
  }

  /** Child of a branch page; its number is not checked yet. */
  public long child(int index) {
    return PageFormat.nodeChild(buffer, node(index));
  }

  public int flags(int node) {
    return PageFormat.nodeFlags(buffer, node);
  }

  /** Position of what follows the key of a leaf node. */
  public int dataAt(int node) {
    return node + PageFormat.NODE_HEADER + PageFormat.nodeKeySize(buffer, node);
  }

  /** Size of data that lies within the page, which is checked. */
  public int dataSize(int node) {
    long length = PageFormat.nodeDataSize(buffer, node);
    if (length > at + size - dataAt(node)) {
      throw pages.damaged(filePosition(node), "data of " + length + " bytes leaves the page");
    }
    return (int) length;
  }

  /** Length of a leaf node's value, which lies whole at {@link #valuePosition}. */
  public long valueLength(int node) {
    return (flags(node) & PageFormat.BIG_DATA) != 0
        ? PageFormat.nodeDataSize(buffer, node)
        : dataSize(node);
  }

  /** Byte of the file where a leaf node's value begins, within the page or on overflow pages. */
  public long valuePosition(int node) {
    if ((flags(node) & PageFormat.BIG_DATA) == 0) {
      dataSize(node);
      return filePosition(dataAt(node));
    }
    long page = overflowPage(node);
    pages.checkValue(page, PageFormat.nodeDataSize(buffer, node), filePosition(dataAt(node)));
    return pages.position(page) + PageFormat.PAGE_HEADER;
  }

  /** First overflow page of a value outside the page; its number is not checked yet. */
  public long overflowPage(int node) {
    int data = dataAt(node);
    if (data + Long.BYTES > at + size) {
      throw pages.damaged(filePosition(node), "the page number of a value leaves the page");
    }
    return buffer.getLong(data);
  }

  /** The tree that a node's data describes: a named database, or the duplicates of a key. */
  public TreeDescription tree(int node) {
    if (dataSize(node) != PageFormat.DATABASE_RECORD) {
      throw pages.damaged(
          filePosition(node), "a tree is described in 48 bytes, not in " + dataSize(node));
    }
    return TreeDescription.read(buffer, dataAt(node));
  }

  /** What to throw for a contradiction at this node. */
  public RuntimeException damaged(int node, String what) {
    return pages.damaged(filePosition(node), what);
  }
}
