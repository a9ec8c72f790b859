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

  /** Where the node of the entry is; looked up once a record, for this is asked a million times. */
  private int node;

  private int keyLength;

  /** The page once more, from the second key on that is sought in it: see {@link #seekInCopy}. */
  private byte[] copy = {};

  private boolean copied;
  private boolean soughtBefore;

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
    copied = false;
    soughtBefore = false;
  }

  /** Goes to the key of a record of this leaf, counted from 0, duplicates one by one. */
  public void seek(long record) {
    if (!withDuplicates) {
      if (record >= leaf.count()) {
        throw fewerRecords();
      }
      entry = (int) record;
      if (!soughtBefore || !seekInCopy()) {
        soughtBefore = true;
        take(leaf.node(entry));
      }
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

  /**
   * Finds the node by reading an array: buffers of three kinds are read by the same code of {@link
   * PageView}, so each of its accesses is a call, 8% of a warm reading of small records. Whoever
   * seeks only one key of a page does not pay for the copy.
   *
   * @return whether the node lies within the page; if not, the view says what is wrong
   */
  private boolean seekInCopy() {
    int size = pages.pageSize();
    if (!copied) {
      copy = copy.length == size ? copy : new byte[size];
      leaf.buffer().get(leaf.at(), copy);
      copied = true;
    }
    int offset = unsigned(PageFormat.PAGE_HEADER + 2 * entry);
    if (offset < PageFormat.PAGE_HEADER + 2 * leaf.count()
        || offset > size - PageFormat.NODE_HEADER) {
      return false;
    }
    int length = unsigned(offset + 6);
    if (length > size - PageFormat.NODE_HEADER - offset) {
      return false;
    }
    node = leaf.at() + offset;
    keyLength = length;
    return true;
  }

  private int unsigned(int at) {
    return (copy[at] & 0xFF) | ((copy[at + 1] & 0xFF) << 8);
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
