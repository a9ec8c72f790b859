package dev.tandem.lmdb.page;

import java.nio.ByteBuffer;

/**
 * Where one tree begins and how large it is (liblmdb's MDB_db). As read from the file: nothing here
 * is true until the pages have been seen.
 */
public record TreeDescription(
    int pad,
    int flags,
    int depth,
    long branchPages,
    long leafPages,
    long overflowPages,
    long entries,
    long root) {

  /** Deepest tree that liblmdb can walk. */
  public static final int MAX_DEPTH = 32;

  static TreeDescription read(ByteBuffer buffer, int at) {
    return new TreeDescription(
        buffer.getInt(at + PageFormat.DB_PAD),
        buffer.getShort(at + PageFormat.DB_FLAGS) & 0xFFFF,
        buffer.getShort(at + PageFormat.DB_DEPTH) & 0xFFFF,
        buffer.getLong(at + PageFormat.DB_BRANCH_PAGES),
        buffer.getLong(at + PageFormat.DB_LEAF_PAGES),
        buffer.getLong(at + PageFormat.DB_OVERFLOW_PAGES),
        buffer.getLong(at + PageFormat.DB_ENTRIES),
        buffer.getLong(at + PageFormat.DB_ROOT));
  }

  public boolean empty() {
    return root == PageFormat.NO_PAGE;
  }

  public boolean has(int flag) {
    return (flags & flag) != 0;
  }

  TreeDescription withFlags(int newFlags) {
    return new TreeDescription(
        pad, newFlags, depth, branchPages, leafPages, overflowPages, entries, root);
  }
}
