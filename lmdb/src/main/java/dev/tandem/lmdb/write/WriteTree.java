package dev.tandem.lmdb.write;

import dev.tandem.lmdb.page.KeyOrder;
import dev.tandem.lmdb.page.PageFormat;

/**
 * One B+tree of the running transaction: finds positions and changes what is there. The position
 * that a search found is good until the next change.
 *
 * <p>Layout decisions (where a page splits, when neighbours merge) are liblmdb's, so that files
 * come out alike.
 */
final class WriteTree {

  private final PageSpace space;
  private final KeyOrder order;
  private final boolean ofFreeList;
  private final TreePath path = new TreePath();
  private final TreeSplit splitter;
  private final TreeRebalance balancer;
  private TreeRecord record;

  /** State of the pages when the path was last known to lead to the end of the tree; or -1. */
  private long endKnownAt = -1;

  WriteTree(PageSpace space, TreeRecord record, KeyOrder order, boolean ofFreeList) {
    this.space = space;
    this.record = record;
    this.order = order;
    this.ofFreeList = ofFreeList;
    this.splitter = new TreeSplit(this);
    this.balancer = new TreeRebalance(this);
  }

  TreeRecord record() {
    return record;
  }

  /** Works on another tree of the same kind from now on. */
  void open(TreeRecord other) {
    record = other;
    endKnownAt = -1;
  }

  PageSpace space() {
    return space;
  }

  TreePath path() {
    return path;
  }

  /** The leaf of the position found last. */
  NodePage leaf() {
    return path.leaf();
  }

  /** The index in {@link #leaf} of the position found last. */
  int position() {
    return path.position();
  }

  /** Goes to the first key that is not less; true if it is equal. False in an empty tree. */
  boolean seek(byte[] key, int length) {
    if (record.isEmpty()) {
      return false;
    }
    if (isPastEnd(key, length)) {
      path.index[path.top] = path.leaf().count();
      return false;
    }
    NodePage page = enter();
    while (page.isBranch()) {
      int found = find(page, key, length, 1);
      page = descend(page, found >= 0 ? found : ~found - 1);
    }
    int found = find(page, key, length, 0);
    path.index[path.top] = found >= 0 ? found : ~found;
    return found >= 0;
  }

  /** Sorted input asks for the end again and again: the way there need not be searched. */
  private boolean isPastEnd(byte[] key, int length) {
    if (endKnownAt != space.changes()) {
      return false;
    }
    NodePage leaf = path.leaf();
    int last = leaf.count() - 1;
    return order.compare(key, length, leaf.bytes, leaf.keyAt(last), leaf.keySize(last)) > 0;
  }

  /** True if the position found last is behind all keys, or in an empty tree. */
  boolean isAtEnd() {
    return record.isEmpty() || (isInLastLeaf() && path.position() == path.leaf().count());
  }

  /** True if the position found last is the last key. */
  boolean isAtLast() {
    return isInLastLeaf() && path.position() == path.leaf().count() - 1;
  }

  private boolean isInLastLeaf() {
    for (int level = 0; level < path.top; level++) {
      if (path.index[level] != path.pages[level].count() - 1) {
        return false;
      }
    }
    return true;
  }

  /** Goes to the first key; false in an empty tree. */
  boolean seekFirst() {
    if (record.isEmpty()) {
      return false;
    }
    NodePage page = enter();
    while (page.isBranch()) {
      page = descend(page, 0);
    }
    path.index[path.top] = 0;
    return true;
  }

  /** Goes to the last key; false in an empty tree. */
  boolean seekLast() {
    if (record.isEmpty()) {
      return false;
    }
    NodePage page = enter();
    while (page.isBranch()) {
      page = descend(page, page.count() - 1);
    }
    path.index[path.top] = page.count() - 1;
    return true;
  }

  /** Goes one key on; false at the end. */
  boolean next() {
    path.index[path.top]++;
    if (path.position() < path.leaf().count()) {
      return true;
    }
    int level = path.top - 1;
    while (level >= 0 && path.index[level] + 1 >= path.pages[level].count()) {
      level--;
    }
    if (level < 0) {
      return false;
    }
    path.top = level;
    NodePage page = descend(path.pages[level], path.index[level] + 1);
    while (page.isBranch()) {
      page = descend(page, 0);
    }
    path.index[path.top] = 0;
    return true;
  }

  private NodePage enter() {
    endKnownAt = -1;
    path.top = 0;
    path.pages[0] = checked(space.page(record.root));
    return path.pages[0];
  }

  private NodePage descend(NodePage page, int index) {
    path.index[path.top] = index;
    if (path.top + 1 >= Math.min(record.depth, TreePath.DEPTH)) {
      throw space.damaged(page.number(), 0, "a tree is deeper than its record says");
    }
    path.top++;
    NodePage child = checked(space.page(page.child(index)));
    path.pages[path.top] = child;
    return child;
  }

  /** Refuses a leaf of another kind of tree, which a damaged file may lead to. */
  private NodePage checked(NodePage page) {
    if (!page.isBranch()
        && (page.isPacked() != isPacked()
            || (page.isPacked() && page.packedSize() != record.pad))) {
      throw space.damaged(page.number(), 8, "a leaf is of another kind than its tree");
    }
    return page;
  }

  private boolean isPacked() {
    return (record.flags & (PageFormat.DUP_SORT | PageFormat.DUP_FIXED)) == PageFormat.DUP_FIXED;
  }

  /** Index of a key in a page, or {@code ~index} of the first that is greater. */
  private int find(NodePage page, byte[] key, int length, int from) {
    return PageSearch.find(page, order, key, length, from);
  }

  /** Makes all pages on the way to the position writable. */
  void touch() {
    for (int level = 0; level <= path.top; level++) {
      NodePage page = path.pages[level];
      if (!page.owned) {
        space.touch(page);
        if (level == 0) {
          record.root = page.number();
        } else {
          path.pages[level - 1].child(path.index[level - 1], page.number());
        }
      } else {
        space.touch(page);
      }
    }
  }

  /** Makes the first leaf of an empty tree, and goes there. */
  void addRoot() {
    boolean packed = isPacked();
    NodePage root = newPage(packed ? PageFormat.LEAF | PageFormat.LEAF2 : PageFormat.LEAF);
    if (packed) {
      root.packedSize(record.pad);
    }
    adoptRoot(root);
  }

  /** Takes a leaf that is already there as the root of an empty tree. */
  void adoptRoot(NodePage root) {
    record.root = root.number();
    record.depth = 1;
    path.top = 0;
    path.pages[0] = root;
    path.index[0] = 0;
  }

  /** A new page that the tree's record counts. */
  NodePage newPage(int flags) {
    NodePage page = space.create(flags);
    if ((flags & PageFormat.BRANCH) != 0) {
      record.branchPages++;
    } else {
      record.leafPages++;
    }
    return page;
  }

  /** Gives a page back that the tree's record counts. */
  void drop(NodePage page) {
    if (page.isBranch()) {
      record.branchPages--;
    } else {
      record.leafPages--;
    }
    space.release(page, ofFreeList);
  }

  /**
   * Adds a node at the position, whose pages are writable.
   *
   * @param append the key goes past all others, so that a full page is left full
   */
  void insert(NewNode node, boolean append) {
    NodePage leaf = path.leaf();
    int wanted = leaf.isPacked() ? leaf.packedSize() : node.bytes(space.pageSize());
    if (leaf.room() < wanted) {
      endKnownAt = -1;
      splitter.split(path.top, path.position(), node, append);
    } else {
      node.place(space, record);
      node.insertInto(leaf, path.position());
      if (isAtLast()) {
        endKnownAt = space.changes();
      }
    }
  }

  /** Puts a node in the place of the one at the position, whose pages are writable. */
  void replace(NewNode node) {
    path.leaf().remove(path.position());
    insert(node, false);
  }

  /**
   * Removes the key at the position, whose pages are writable; the record's count is not changed.
   */
  void remove() {
    endKnownAt = -1;
    NodePage leaf = path.leaf();
    if (leaf.isPacked()) {
      leaf.removePacked(path.position());
    } else {
      leaf.remove(path.position());
    }
    balancer.rebalance(path.top);
  }

  /** Splits a branch page to make room for a node; see {@link TreeSplit}. */
  void split(int level, int index, NewNode node) {
    splitter.split(level, index, node, false);
  }

  /** The smallest key below a page. */
  byte[] lowestKey(NodePage page) {
    NodePage lowest = page;
    for (int level = 0; lowest.isBranch(); level++) {
      if (level > TreePath.DEPTH) {
        throw space.damaged(page.number(), 0, "a tree goes round in circles");
      }
      lowest = space.page(lowest.child(0));
    }
    return lowest.key(0);
  }

  /** Gives every page of the tree back; see {@link TreeDrop}. */
  void dropAll(boolean holdsTrees) {
    endKnownAt = -1;
    TreeDrop.drop(space, record, holdsTrees);
  }
}
