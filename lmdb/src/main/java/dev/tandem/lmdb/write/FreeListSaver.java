package dev.tandem.lmdb.write;

import dev.tandem.lmdb.page.LongList;
import dev.tandem.lmdb.page.PageFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Writes a transaction's free pages into the free list's own tree. That takes and frees pages
 * itself, so records are first reserved until nothing changes any more, and filled then.
 *
 * <p>Records: one under this transaction's number with the pages it let go; and, under the numbers
 * of records that were used up, the pages of those that were not needed.
 */
final class FreeListSaver {

  private final WriteTree tree;
  private final FreePages free;
  private final long transaction;
  private final int perPage;
  private final byte[] key = new byte[Long.BYTES];
  private final ValueStore values;
  private long deletedUpTo;
  private long headKey;
  private long headRoom;
  private long totalRoom;

  FreeListSaver(WriteTree tree, FreePages free, long transaction) {
    this.tree = tree;
    this.values = new ValueStore(tree);
    this.free = free;
    this.transaction = transaction;
    this.perPage = (tree.space().pageSize() - PageFormat.PAGE_HEADER) / Long.BYTES - 1;
  }

  void save() {
    if (free.lastLoaded() > 0) {
      // The first leaf will change; when it moves now, its old page is on the list in time.
      if (tree.seekFirst()) {
        tree.touch();
      }
    }
    int reserved = 0;
    boolean spare = true;
    while (true) {
      deleteUsedRecords();
      if (free.lastLoaded() == 0) {
        // No record was used up, so there is no older number to keep these pages under.
        free.releaseReusable();
      }
      if (reserved < free.released().size()) {
        if (reserved == 0 && tree.seekLast()) {
          tree.touch();
        }
        while (reserved < free.released().size()) {
          reserved = free.released().size();
          reserve(transaction, reserved);
        }
        continue;
      }
      long wanted = free.lastLoaded() > 0 ? free.reusableCount() : 0;
      if (totalRoom == wanted || (totalRoom > wanted && !spare)) {
        break;
      }
      if (totalRoom > wanted) {
        spare = false;
      } else if (headRoom >= perPage && headKey > 1) {
        headKey--;
        headRoom = 0;
      }
      reserveHead(wanted);
    }
    fill();
  }

  private void deleteUsedRecords() {
    while (deletedUpTo < free.lastLoaded()) {
      tree.seekFirst();
      deletedUpTo = tree.leaf().bytes.getLong(tree.leaf().keyAt(tree.position()));
      headKey = deletedUpTo;
      headRoom = 0;
      totalRoom = 0;
      tree.touch();
      values.release();
      tree.record().entries--;
      tree.remove();
    }
  }

  /** Reserves (more) room for unneeded pages, in records that each fit one overflow page. */
  private void reserveHead(long wanted) {
    totalRoom -= headRoom;
    headRoom = wanted - totalRoom;
    if (headRoom > perPage && headKey > 1) {
      headRoom /= headKey;
      headRoom += perPage - headRoom % (perPage + 1);
    } else if (headRoom < 0) {
      headRoom = 0;
    }
    reserve(headKey, headRoom);
    totalRoom += headRoom;
  }

  private void reserve(long id, long pages) {
    int size = Math.toIntExact((pages + 1) * Long.BYTES);
    put(id, null, size);
  }

  /** Writes or reserves a record; one of the same size keeps its place. */
  private void put(long id, ByteBuffer value, int size) {
    ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN).putLong(id);
    if (tree.seek(key, key.length)) {
      tree.touch();
      values.replace(key, key.length, 0, value, size);
    } else {
      values.insert(key, key.length, 0, value, size, false);
    }
  }

  private void fill() {
    free.gather();
    if (!free.released().isEmpty()) {
      free.released().sortDescending();
      ByteBuffer list = list(free.released(), 0, free.released().size(), 0);
      put(transaction, list, list.remaining());
    }
    if (deletedUpTo == 0) {
      return;
    }
    // Smallest pages first: they are at the end of the list, and go to the first records.
    LongList pages = free.reusable();
    int end = pages.size();
    boolean more = tree.seekFirst();
    while (more) {
      NodePage leaf = tree.leaf();
      long id = leaf.bytes.getLong(leaf.keyAt(tree.position()));
      if (id > deletedUpTo) {
        break;
      }
      int room = (int) (leaf.dataSize(tree.position()) / Long.BYTES) - 1;
      int count = Math.min(room, end);
      tree.touch();
      writeInPlace(list(pages, end - count, count, room));
      end -= count;
      more = tree.next();
    }
    if (end != 0) {
      throw new IllegalStateException(end + " free pages found no place in the free list");
    }
  }

  private void writeInPlace(ByteBuffer value) {
    NodePage leaf = tree.leaf();
    int at = tree.position();
    if ((leaf.nodeFlags(at) & PageFormat.BIG_DATA) != 0) {
      tree.space().rewriteRun(leaf.bytes.getLong(leaf.dataAt(at)), value, value.remaining());
    } else {
      leaf.bytes.put(leaf.dataAt(at), value, value.position(), value.remaining());
    }
  }

  /** A record: how many, then the pages; zeros up to {@code room} pages. */
  private static ByteBuffer list(LongList pages, int from, int count, int room) {
    ByteBuffer list =
        ByteBuffer.allocate((Math.max(count, room) + 1) * Long.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    list.putLong(count);
    for (int i = from; i < from + count; i++) {
      list.putLong(pages.at(i));
    }
    return list.clear();
  }
}
