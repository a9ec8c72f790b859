package dev.tandem.lmdb;

import java.nio.ByteBuffer;

/**
 * The bytes of LMDB data version 1 (LMDB 0.9, 64-bit, little-endian): offsets, flags and plain
 * accessors. Accessors take a little-endian buffer and the offset {@code at} of the page (or node,
 * or database record) in it, and check nothing: whoever reads a foreign file checks first.
 */
final class PageFormat {

  static final int MAGIC = 0xBEEFC0DE;
  static final int VERSION = 1;
  static final int PAGE_HEADER = 16;
  static final int NODE_HEADER = 8;
  static final int DATABASE_RECORD = 48;
  static final int META_PAGES = 2;
  static final int MIN_PAGE_SIZE = 512;
  static final int MAX_PAGE_SIZE = 65_536;
  static final int MAX_KEY = 511;

  /** Root of an empty tree. */
  static final long NO_PAGE = -1;

  // Page flags.
  static final int BRANCH = 0x01;
  static final int LEAF = 0x02;
  static final int OVERFLOW = 0x04;
  static final int META = 0x08;
  static final int DIRTY = 0x10;
  static final int LEAF2 = 0x20;
  static final int SUB_PAGE = 0x40;

  // Node flags of leaves.
  static final int BIG_DATA = 0x01;
  static final int SUB_DATA = 0x02;
  static final int DUP_DATA = 0x04;

  // Database flags that are kept in the file.
  static final int REVERSE_KEY = 0x02;
  static final int DUP_SORT = 0x04;
  static final int INTEGER_KEY = 0x08;
  static final int DUP_FIXED = 0x10;
  static final int INTEGER_DUP = 0x20;
  static final int REVERSE_DUP = 0x40;

  // Offsets within a meta page.
  static final int META_MAGIC = 16;
  static final int META_VERSION = 20;
  static final int META_MAP_SIZE = 32;
  static final int META_FREE_DB = 40;
  static final int META_MAIN_DB = 88;
  static final int META_LAST_PAGE = 136;
  static final int META_TXN_ID = 144;
  static final int META_END = 152;

  // Offsets within a database record (MDB_db).
  static final int DB_PAD = 0;
  static final int DB_FLAGS = 4;
  static final int DB_DEPTH = 6;
  static final int DB_BRANCH_PAGES = 8;
  static final int DB_LEAF_PAGES = 16;
  static final int DB_OVERFLOW_PAGES = 24;
  static final int DB_ENTRIES = 32;
  static final int DB_ROOT = 40;

  private PageFormat() {}

  static long pageNumber(ByteBuffer page, int at) {
    return page.getLong(at);
  }

  /** Key size of a LEAF2 page. */
  static int pad(ByteBuffer page, int at) {
    return page.getShort(at + 8) & 0xFFFF;
  }

  static int flags(ByteBuffer page, int at) {
    return page.getShort(at + 10) & 0xFFFF;
  }

  static int lower(ByteBuffer page, int at) {
    return page.getShort(at + 12) & 0xFFFF;
  }

  static int upper(ByteBuffer page, int at) {
    return page.getShort(at + 14) & 0xFFFF;
  }

  /** Pages of the run that an overflow page begins. */
  static long overflowPages(ByteBuffer page, int at) {
    return page.getInt(at + 12) & 0xFFFF_FFFFL;
  }

  static int keyCount(ByteBuffer page, int at) {
    return (lower(page, at) - PAGE_HEADER) >> 1;
  }

  /** Offset of node {@code index}, counted from the start of the page. */
  static int nodeOffset(ByteBuffer page, int at, int index) {
    return page.getShort(at + PAGE_HEADER + 2 * index) & 0xFFFF;
  }

  static int nodeFlags(ByteBuffer page, int node) {
    return page.getShort(node + 4) & 0xFFFF;
  }

  static int nodeKeySize(ByteBuffer page, int node) {
    return page.getShort(node + 6) & 0xFFFF;
  }

  /** Data size of a leaf node (of the whole value, if it lies on overflow pages). */
  static long nodeDataSize(ByteBuffer page, int node) {
    return page.getInt(node) & 0xFFFF_FFFFL;
  }

  /** Page number that a branch node points to. */
  static long nodeChild(ByteBuffer page, int node) {
    return (page.getInt(node) & 0xFFFF_FFFFL) | ((long) nodeFlags(page, node) << 32);
  }

  /**
   * Largest node that stays in a leaf (liblmdb's me_nodemax): a value goes to overflow pages if
   * node header, key and value together are larger. 2038 for 4 KiB pages.
   */
  static int maxNode(int pageSize) {
    return (((pageSize - PAGE_HEADER) / 2) & -2) - 2;
  }

  /** Pages that a value of this size takes outside its leaf. */
  static long overflowPagesFor(long valueSize, int pageSize) {
    return (PAGE_HEADER - 1 + valueSize) / pageSize + 1;
  }
}
