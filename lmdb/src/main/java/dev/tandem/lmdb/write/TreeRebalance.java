package dev.tandem.lmdb.write;

import dev.tandem.lmdb.page.PageFormat;

/** Keeps a tree's pages filled after keys were removed. */
final class TreeRebalance {

  private static final byte[] NO_KEY = {};

  /** Leaves less full than this, in thousandths, take from a neighbour or join it. */
  private static final int LEAF_FILL = 250;

  private final WriteTree tree;

  TreeRebalance(WriteTree tree) {
    this.tree = tree;
  }

  /** Looks after the page that the tree's path has at this level, and after those above it. */
  void rebalance(int level) {
    TreePath path = tree.path();
    NodePage page = path.pages[level];
    int minimum = page.isBranch() ? 2 : 1;
    int threshold = page.isBranch() ? 1 : LEAF_FILL;
    if (page.fill() >= threshold && page.count() >= minimum) {
      return;
    }
    if (level == 0) {
      shrinkRoot(page);
      return;
    }
    NodePage parent = path.pages[level - 1];
    int index = path.index[level - 1];
    if (parent.count() < 2) {
      throw tree.space().damaged(parent.number(), 12, "a branch page has one child");
    }
    boolean left = index > 0;
    int other = left ? index - 1 : index + 1;
    NodePage neighbour = tree.space().page(parent.child(other));
    if (neighbour.flags() != page.flags()) {
      throw tree.space()
          .damaged(neighbour.number(), 10, "neighbours in a tree are of different kinds");
    }
    if (neighbour.fill() >= threshold && neighbour.count() > minimum) {
      writable(neighbour, parent, other);
      if (left) {
        moveFromLeft(level, page, neighbour, index);
      } else {
        moveFromRight(level, page, neighbour, other);
      }
    } else if (left) {
      writable(neighbour, parent, other);
      merge(level, page, index, neighbour);
    } else {
      merge(level, neighbour, other, page);
    }
  }

  private void shrinkRoot(NodePage page) {
    TreeRecord record = tree.record();
    if (page.count() == 0) {
      record.root = PageFormat.NO_PAGE;
      record.depth = 0;
      tree.drop(page);
    } else if (page.isBranch() && page.count() == 1) {
      record.root = page.child(0);
      record.depth--;
      tree.drop(page);
    }
  }

  private void writable(NodePage page, NodePage parent, int index) {
    tree.space().touch(page);
    parent.child(index, page.number());
  }

  private void moveFromLeft(int level, NodePage page, NodePage left, int index) {
    int last = left.count() - 1;
    byte[] moved = left.key(last);
    if (page.isPacked()) {
      page.insertPacked(0, moved);
      left.removePacked(last);
    } else if (page.isBranch()) {
      setKey(page, 0, tree.lowestKey(page));
      page.insertBranch(0, NO_KEY, 0, left.child(last));
      left.remove(last);
    } else {
      page.copy(0, left, last);
      left.remove(last);
    }
    separate(level - 1, index, moved);
  }

  private void moveFromRight(int level, NodePage page, NodePage right, int index) {
    byte[] separator = right.key(1);
    if (page.isPacked()) {
      page.insertPacked(page.count(), right.key(0));
      right.removePacked(0);
    } else if (page.isBranch()) {
      byte[] lowest = tree.lowestKey(right);
      page.insertBranch(page.count(), lowest, lowest.length, right.child(0));
      right.remove(0);
      setKey(right, 0, NO_KEY);
    } else {
      page.copy(page.count(), right, 0);
      right.remove(0);
    }
    separate(level - 1, index, separator);
  }

  /** Moves all of a page to the end of its left neighbour. */
  private void merge(int level, NodePage from, int fromIndex, NodePage to) {
    int count = from.count();
    for (int i = 0; i < count; i++) {
      int end = to.count();
      if (from.isPacked()) {
        to.insertPacked(end, from.key(i));
      } else if (i == 0 && from.isBranch()) {
        byte[] lowest = tree.lowestKey(from);
        to.insertBranch(end, lowest, lowest.length, from.child(0));
      } else {
        to.copy(end, from, i);
      }
    }
    tree.path().pages[level - 1].remove(fromIndex);
    tree.drop(from);
    rebalance(level - 1);
  }

  /** Sets the key that separates a child from its left neighbour; may split the branch. */
  private void separate(int level, int index, byte[] key) {
    NodePage branch = tree.path().pages[level];
    int growth = NodePage.even(PageFormat.NODE_HEADER + key.length) - branch.nodeBytes(index);
    if (growth <= branch.room()) {
      setKey(branch, index, key);
    } else {
      long child = branch.child(index);
      branch.remove(index);
      tree.split(level, index, NewNode.branch(key, child));
    }
  }

  private static void setKey(NodePage branch, int index, byte[] key) {
    long child = branch.child(index);
    branch.remove(index);
    branch.insertBranch(index, key, key.length, child);
  }
}
