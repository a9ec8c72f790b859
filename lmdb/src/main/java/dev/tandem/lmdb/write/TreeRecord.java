package dev.tandem.lmdb.write;

import dev.tandem.lmdb.page.PageFormat;
import java.nio.ByteBuffer;

/** A database's record (MDB_db) in memory: where its tree is and how much is in it. */
final class TreeRecord {

  /** Page size in the free list's record, key size in one of packed duplicates. */
  int pad;

  int flags;
  int depth;
  long branchPages;
  long leafPages;
  long overflowPages;
  long entries;
  long root = PageFormat.NO_PAGE;

  /** An empty tree. */
  static TreeRecord empty(int flags) {
    TreeRecord record = new TreeRecord();
    record.flags = flags;
    return record;
  }

  static TreeRecord read(ByteBuffer from, int at) {
    TreeRecord record = new TreeRecord();
    record.pad = from.getInt(at + PageFormat.DB_PAD);
    record.flags = from.getShort(at + PageFormat.DB_FLAGS) & 0xFFFF;
    record.depth = from.getShort(at + PageFormat.DB_DEPTH) & 0xFFFF;
    record.branchPages = from.getLong(at + PageFormat.DB_BRANCH_PAGES);
    record.leafPages = from.getLong(at + PageFormat.DB_LEAF_PAGES);
    record.overflowPages = from.getLong(at + PageFormat.DB_OVERFLOW_PAGES);
    record.entries = from.getLong(at + PageFormat.DB_ENTRIES);
    record.root = from.getLong(at + PageFormat.DB_ROOT);
    return record;
  }

  void write(ByteBuffer to, int at) {
    to.putInt(at + PageFormat.DB_PAD, pad);
    to.putShort(at + PageFormat.DB_FLAGS, (short) flags);
    to.putShort(at + PageFormat.DB_DEPTH, (short) depth);
    to.putLong(at + PageFormat.DB_BRANCH_PAGES, branchPages);
    to.putLong(at + PageFormat.DB_LEAF_PAGES, leafPages);
    to.putLong(at + PageFormat.DB_OVERFLOW_PAGES, overflowPages);
    to.putLong(at + PageFormat.DB_ENTRIES, entries);
    to.putLong(at + PageFormat.DB_ROOT, root);
  }

  TreeRecord copy() {
    ByteBuffer bytes = ByteBuffer.allocate(PageFormat.DATABASE_RECORD);
    write(bytes, 0);
    return read(bytes, 0);
  }

  /** Forgets the tree, keeping its flags. */
  void clear() {
    depth = 0;
    branchPages = 0;
    leafPages = 0;
    overflowPages = 0;
    entries = 0;
    root = PageFormat.NO_PAGE;
  }

  boolean isEmpty() {
    return root == PageFormat.NO_PAGE;
  }
}
