package dev.tandem.lmdb.write;

import dev.tandem.lmdb.page.LongList;
import dev.tandem.lmdb.page.PageFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads the free list as the last commit left it, oldest record first. The running transaction
 * changes the tree of the free list while it asks for pages; the committed one stays as it is.
 */
final class FreeListRecords {

  private final PageSpace space;
  private final TreeRecord tree;
  private final NodePage[] pages = new NodePage[TreePath.DEPTH];
  private final int[] index = new int[TreePath.DEPTH];
  private int top = -1;
  private boolean started;

  FreeListRecords(PageSpace space, TreeRecord tree) {
    this.space = space;
    this.tree = tree;
  }

  /** Transaction of the next record, or {@link Long#MAX_VALUE} if there is none. */
  long peek() {
    if (!started) {
      started = true;
      if (!tree.isEmpty()) {
        descend(tree.root);
      }
    }
    if (top < 0) {
      return Long.MAX_VALUE;
    }
    NodePage leaf = pages[top];
    if (leaf.keySize(index[top]) != Long.BYTES) {
      throw space.damaged(leaf.number(), leaf.node(index[top]), "a free list key is no number");
    }
    return leaf.bytes.getLong(leaf.keyAt(index[top]));
  }

  /** Adds the next record's page numbers, which are descending, to a list and goes on. */
  void next(LongList into, long endOfFile) {
    NodePage leaf = pages[top];
    int at = index[top];
    long size = leaf.dataSize(at);
    ByteBuffer list;
    if ((leaf.nodeFlags(at) & PageFormat.BIG_DATA) != 0) {
      byte[] bytes = space.readCommittedRun(leaf.bytes.getLong(leaf.dataAt(at)), size);
      list = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    } else {
      list = leaf.bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
      list.clear().position(leaf.dataAt(at)).limit(leaf.dataAt(at) + (int) size);
    }
    long count = size < Long.BYTES ? -1 : list.getLong();
    if (count < 0 || (count + 1) * Long.BYTES > size) {
      throw space.damaged(leaf.number(), leaf.node(at), "a free list record is too short");
    }
    long previous = endOfFile;
    for (long i = 0; i < count; i++) {
      long page = list.getLong();
      if (page < PageFormat.META_PAGES || page >= previous) {
        throw space.damaged(leaf.number(), leaf.node(at), "the free list holds page " + page);
      }
      into.add(page);
      previous = page;
    }
    advance();
  }

  private void advance() {
    index[top]++;
    while (index[top] >= pages[top].count()) {
      space.recycle(pages[top]);
      top--;
      if (top < 0) {
        return;
      }
      index[top]++;
    }
    if (pages[top].isBranch()) {
      descend(pages[top].child(index[top]));
    }
  }

  private void descend(long number) {
    long next = number;
    while (true) {
      if (top + 1 >= Math.min(tree.depth, TreePath.DEPTH)) {
        throw space.damaged(next, 0, "the free list's tree is deeper than its record says");
      }
      NodePage page = space.load(next);
      if (page.isPacked()) {
        throw space.damaged(next, 10, "the free list has a leaf without nodes");
      }
      top++;
      pages[top] = page;
      index[top] = 0;
      if (!page.isBranch()) {
        return;
      }
      next = page.child(0);
    }
  }

  /** Gives the memory back. */
  void close() {
    for (; top >= 0; top--) {
      space.recycle(pages[top]);
    }
  }
}
