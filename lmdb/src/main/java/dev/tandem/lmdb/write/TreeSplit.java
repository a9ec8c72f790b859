package dev.tandem.lmdb.write;

import dev.tandem.lmdb.page.PageFormat;
import java.nio.ByteBuffer;

/** Splits a full page in two and adds a node, up to the root if need be. */
final class TreeSplit {

  private static final byte[] NO_KEY = {};

  private final WriteTree tree;

  TreeSplit(WriteTree tree) {
    this.tree = tree;
  }

  /**
   * Splits the page that the tree's path has at {@code level} and adds {@code node} as {@code
   * index}. The path is no longer good afterwards.
   */
  void split(int level, int index, NewNode node, boolean append) {
    TreePath path = tree.path();
    NodePage left = path.pages[level];
    NodePage right = tree.newPage(left.flags());
    if (left.isPacked()) {
      right.packedSize(left.packedSize());
    }
    NodePage parent;
    int parentIndex;
    if (level == 0) {
      parent = tree.newPage(PageFormat.BRANCH);
      parent.insertBranch(0, NO_KEY, 0, left.number());
      tree.record().root = parent.number();
      tree.record().depth++;
      parentIndex = 0;
    } else {
      parent = path.pages[level - 1];
      parentIndex = path.index[level - 1];
    }
    // All pages are taken before nodes move, so that nothing can fail halfway.
    node.bytes(tree.space().pageSize());
    node.place(tree.space(), tree.record());

    int at;
    if (append) {
      at = index;
    } else if (left.isPacked()) {
      at = (left.count() + 1) / 2;
    } else {
      at = splitIndex(left, index, node);
    }
    byte[] separator = at == index ? node.keyCopy() : left.key(old(at, index, left));
    link(level, parent, parentIndex + 1, separator, right.number());

    if (left.isPacked()) {
      movePacked(left, right, at, index, node);
    } else {
      move(left, right, at, index, node);
    }
  }

  private void link(int level, NodePage parent, int index, byte[] separator, long child) {
    if (parent.room() < PageFormat.NODE_HEADER + separator.length + 2) {
      split(level - 1, index, NewNode.branch(separator, child), false);
    } else {
      parent.insertBranch(index, separator, separator.length, child);
    }
  }

  /** Index on the old page of what is {@code i}th once the new node is at {@code index}. */
  private static int old(int i, int index, NodePage page) {
    return page.isPacked() || i < index ? i : i - 1;
  }

  private static void movePacked(NodePage left, NodePage right, int at, int index, NewNode node) {
    int size = left.packedSize();
    int count = left.count() - at;
    ByteBuffer bytes = left.bytes;
    right.bytes.put(PageFormat.PAGE_HEADER, bytes, left.keyAt(at), count * size);
    right.bounds(right.lower() + 2 * count, right.upper() - count * (size - 2));
    left.bounds(left.lower() - 2 * count, left.upper() + count * (size - 2));
    if (index < at) {
      node.insertInto(left, index);
    } else {
      node.insertInto(right, index - at);
    }
  }

  private void move(NodePage left, NodePage right, int at, int index, NewNode node) {
    int total = left.count() + 1;
    for (int i = at; i < total; i++) {
      add(right, i - at, left, i, index, node);
    }
    NodePage copy = tree.space().blank();
    copy.format(left.number(), left.flags());
    for (int i = 0; i < at; i++) {
      add(copy, i, left, i, index, node);
    }
    left.contentOf(copy);
    tree.space().recycle(copy);
  }

  private static void add(NodePage to, int toIndex, NodePage from, int i, int index, NewNode node) {
    if (i == index) {
      if (toIndex == 0) {
        node.insertFirst(to);
      } else {
        node.insertInto(to, toIndex);
      }
    } else if (toIndex == 0 && from.isBranch()) {
      to.insertBranch(0, NO_KEY, 0, from.child(old(i, index, from)));
    } else {
      to.copy(toIndex, from, old(i, index, from));
    }
  }

  /**
   * Where to cut, counting the new node. The middle, unless large nodes need a look at their sizes,
   * or the new node comes last: then the old page stays nearly full, which packs sorted input well.
   */
  private int splitIndex(NodePage page, int index, NewNode node) {
    int pageSize = tree.space().pageSize();
    int whole = pageSize - PageFormat.PAGE_HEADER;
    int count = page.count();
    int middle = (count + 1) / 2;
    int added = node.bytes(pageSize);
    if (count >= 32 && added <= whole / 16 && index < count) {
      return middle;
    }
    int from = 0;
    int step = 1;
    int end = index >= count ? count : middle + 1 + (page.isBranch() ? 0 : 1);
    if (index > middle && index < count) {
      from = count;
      step = -1;
      end = middle - 1;
    }
    int size = 0;
    for (int i = from; i != end; i += step) {
      size += i == index ? added : page.nodeBytes(old(i, index, page)) + 2;
      if (size > whole || i == end - step) {
        return step < 0 ? i + 1 : i;
      }
    }
    return middle;
  }
}
