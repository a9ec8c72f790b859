package dev.tandem.lmdb.page;

import java.nio.ByteBuffer;

/**
 * The bytes of LMDB data version 1 (LMDB 0.9, 64-bit, little-endian): offsets, flags and plain
 * accessors. Accessors take a little-endian buffer and the offset {@code at} of the page (or node,
 * or database record) in it, and check nothing: code that reads a foreign file checks first.
 */
public final class PageFormat {

  public static final int MAGIC = 0xBEEFC0DE;
  public static final int VERSION = 1;
  public static final int PAGE_HEADER = 16;
  public static final int NODE_HEADER = 8;
  public static final int DATABASE_RECORD = 48;
  public static final int META_PAGES = 2;
  static final int MIN_PAGE_SIZE = 512;
  public static final int MAX_PAGE_SIZE = 65_536;
  public static final int MAX_KEY = 511;

  /** Root of an empty tree. */
  public static final long NO_PAGE = -1;

  // Page flags.
  public static final int BRANCH = 0x01;
  public static final int LEAF = 0x02;
  public static final int OVERFLOW = 0x04;
  public static final int META = 0x08;
  public static final int DIRTY = 0x10;
  public static final int LEAF2 = 0x20;
  public static final int SUB_PAGE = 0x40;

  // Node flags of leaves.
  public static final int BIG_DATA = 0x01;
  public static final int SUB_DATA = 0x02;
  public static final int DUP_DATA = 0x04;

  // Database flags that are kept in the file.
  public static final int REVERSE_KEY = 0x02;
  public static final int DUP_SORT = 0x04;
  public static final int INTEGER_KEY = 0x08;
  public static final int DUP_FIXED = 0x10;
  public static final int INTEGER_DUP = 0x20;
  public static final int REVERSE_DUP = 0x40;

  // Offsets within a meta page.
  public static final int META_MAGIC = 16;
  public static final int META_VERSION = 20;
  public static final int META_MAP_SIZE = 32;
  public static final int META_FREE_DB = 40;
  public static final int META_MAIN_DB = 88;
  public static final int META_LAST_PAGE = 136;
  public static final int META_TXN_ID = 144;
  public static final int META_END = 152;

  // Offsets within a database record (MDB_db).
  public static final int DB_PAD = 0;
  public static final int DB_FLAGS = 4;
  public static final int DB_DEPTH = 6;
  public static final int DB_BRANCH_PAGES = 8;
  public static final int DB_LEAF_PAGES = 16;
  public static final int DB_OVERFLOW_PAGES = 24;
  public static final int DB_ENTRIES = 32;
  public static final int DB_ROOT = 40;

  private PageFormat() {}

  public static long pageNumber(ByteBuffer page, int at) {
    return page.getLong(at);
  }

  /** Key size of a LEAF2 page. */
  public static int pad(ByteBuffer page, int at) {
    return page.getShort(at + 8) & 0xFFFF;
  }

  public static int flags(ByteBuffer page, int at) {
    return page.getShort(at + 10) & 0xFFFF;
  }

  public static int lower(ByteBuffer page, int at) {
    return page.getShort(at + 12) & 0xFFFF;
  }

  public static int upper(ByteBuffer page, int at) {
    return page.getShort(at + 14) & 0xFFFF;
  }

  /** Pages of the run that an overflow page begins. */
  public static long overflowPages(ByteBuffer page, int at) {
    return page.getInt(at + 12) & 0xFFFF_FFFFL;
  }

  public static int keyCount(ByteBuffer page, int at) {
    return (lower(page, at) - PAGE_HEADER) >> 1;
  }

  /** Offset of node {@code index}, counted from the start of the page. */
  public static int nodeOffset(ByteBuffer page, int at, int index) {
    return page.getShort(at + PAGE_HEADER + 2 * index) & 0xFFFF;
  }

  public static int nodeFlags(ByteBuffer page, int node) {
    return page.getShort(node + 4) & 0xFFFF;
  }

  public static int nodeKeySize(ByteBuffer page, int node) {
    return page.getShort(node + 6) & 0xFFFF;
  }

  /** Data size of a leaf node (of the whole value, if it lies on overflow pages). */
  public static long nodeDataSize(ByteBuffer page, int node) {
    return page.getInt(node) & 0xFFFF_FFFFL;
  }

  /** Page number that a branch node points to. */
  public static long nodeChild(ByteBuffer page, int node) {
    return (page.getInt(node) & 0xFFFF_FFFFL) | ((long) nodeFlags(page, node) << 32);
  }

  /**
   * Largest node that stays in a leaf (liblmdb's me_nodemax): a value goes to overflow pages if
   * node header, key and value together are larger. 2038 for 4 KiB pages.
   */
  public static int maxNode(int pageSize) {
    return (((pageSize - PAGE_HEADER) / 2) & -2) - 2;
  }

  /** Pages that a value of this size takes outside its leaf. */
  public static long overflowPagesFor(long valueSize, int pageSize) {
    return (PAGE_HEADER - 1 + valueSize) / pageSize + 1;
  }
}
