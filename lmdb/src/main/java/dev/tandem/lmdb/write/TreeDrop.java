package dev.tandem.lmdb.write;

import dev.tandem.lmdb.page.PageFormat;

/** Gives all pages of a tree back, with what its leaves refer to. */
final class TreeDrop {

  private final PageSpace space;
  private final TreeRecord record;
  private final boolean leavesMatter;

  private TreeDrop(PageSpace space, TreeRecord record, boolean leavesMatter) {
    this.space = space;
    this.record = record;
    this.leavesMatter = leavesMatter;
  }

  /**
   * Drops a tree and empties its record.
   *
   * @param holdsTrees leaves may hold records of other trees, which go too
   */
  static void drop(PageSpace space, TreeRecord record, boolean holdsTrees) {
    if (!record.isEmpty()) {
      new TreeDrop(space, record, holdsTrees || record.overflowPages > 0).below(record.root, 1);
    }
    record.clear();
  }

  private void below(long number, int level) {
    if (level == record.depth && !leavesMatter) {
      space.release(number);
      return;
    }
    if (level > Math.min(record.depth, TreePath.DEPTH)) {
      throw space.damaged(number, 0, "a tree is deeper than its record says");
    }
    NodePage page = space.page(number);
    for (int i = 0; i < page.count() && !page.isPacked(); i++) {
      if (page.isBranch()) {
        below(page.child(i), level + 1);
      } else {
        data(page, i);
      }
    }
    space.release(page, false);
  }

  private void data(NodePage leaf, int index) {
    int flags = leaf.nodeFlags(index);
    if ((flags & PageFormat.BIG_DATA) != 0) {
      space.releaseRun(leaf.bytes.getLong(leaf.dataAt(index)));
    } else if ((flags & PageFormat.SUB_DATA) != 0) {
      TreeRecord inner = TreeRecord.read(leaf.bytes, leaf.dataAt(index));
      drop(space, inner, (inner.flags & PageFormat.DUP_SORT) != 0);
    }
  }
}
