package dev.tandem.lmdb.index;

import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.page.PageView;
import dev.tandem.lmdb.page.Pages;
import dev.tandem.lmdb.page.TreeShape;
import java.nio.ByteBuffer;

/**
 * Finds keys in leaf pages that the caller has read by itself, past the mapping. Every offset is
 * checked before it is followed. Reused from page to page; for one thread, while the snapshot is
 * open.
 */
public final class LeafKeys {

  private final Pages pages;
  private final PageView leaf;
  private final boolean withDuplicates;
  private int entry;
  private long firstOfEntry;

  /** Where the node of the entry is in the buffer. */
  private int node;

  private int keyLength;

  /** For the leaves of this database. */
  public LeafKeys(Database database) {
    this.pages = database.pages();
    this.leaf = new PageView(pages);
    this.withDuplicates = database.tree().has(PageFormat.DUP_SORT);
  }

  /** Looks at the leaf page that begins at {@code at} in a little-endian buffer. */
  public void load(long page, ByteBuffer buffer, int at) {
    leaf.load(page, buffer, at, false, -1);
    entry = 0;
    firstOfEntry = 0;
  }

  /** Goes to the key of a record of this leaf, counted from 0, duplicates one by one. */
  public void seek(long record) {
    if (!withDuplicates) {
      if (record >= leaf.count()) {
        throw fewerRecords();
      }
      entry = (int) record;
      take(leaf.node(entry));
      return;
    }
    if (record < firstOfEntry) {
      entry = 0;
      firstOfEntry = 0;
    }
    long here = TreeShape.recordsOf(pages, leaf, leaf.node(entry));
    while (record - firstOfEntry >= here) {
      if (++entry == leaf.count()) {
        throw fewerRecords();
      }
      firstOfEntry += here;
      here = TreeShape.recordsOf(pages, leaf, leaf.node(entry));
    }
    take(leaf.node(entry));
  }

  private void take(int found) {
    node = found;
    keyLength = PageFormat.nodeKeySize(leaf.buffer(), found);
  }

  private RuntimeException fewerRecords() {
    return pages.damaged(leaf.start(), "the leaf has fewer records than the index says");
  }

  /** Where in the buffer the key begins that was sought last. */
  public int keyAt() {
    return node + PageFormat.NODE_HEADER;
  }

  /** Length of the key in bytes. */
  public int keyLength() {
    return keyLength;
  }
}
