package dev.tandem.lmdb.write;

import dev.tandem.lmdb.page.LongList;
import java.util.function.LongUnaryOperator;

/**
 * The page numbers of one transaction: where new pages come from and where old ones go.
 *
 * <p>A page that transaction T let go is used again only when every reader, and the last commit but
 * one, is at T or later; so neither a reader nor a crash ever sees it change.
 */
final class FreePages {

  /** Records of the free list to join while looking for a run, for each page of the run. */
  private static final int PATIENCE = 60;

  private final long transaction;
  private final FreeListRecords records;
  private final LongUnaryOperator oldestReader;
  private final LongList reusable = new LongList();
  private final LongList loose = new LongList();
  private final LongList released = new LongList();
  private final LongList record = new LongList();
  private long nextPage;
  private long lastLoaded;
  private long oldest;
  private int noRunOf = Integer.MAX_VALUE;

  /**
   * Starts with what the last commit left.
   *
   * @param oldestReader gives the oldest transaction still read, from the newest there is
   */
  FreePages(
      long transaction, long nextPage, FreeListRecords records, LongUnaryOperator oldestReader) {
    this.transaction = transaction;
    this.nextPage = nextPage;
    this.records = records;
    this.oldestReader = oldestReader;
  }

  /** First page after the end of the file. */
  long nextPage() {
    return nextPage;
  }

  /** Transaction of the last record of the free list that is used up, 0 if none is. */
  long lastLoaded() {
    return lastLoaded;
  }

  /** Pages that this transaction let go and others may still see. */
  LongList released() {
    return released;
  }

  /** Pages that nobody sees, from the largest to the smallest; without those just made free. */
  LongList reusable() {
    return reusable;
  }

  /** All that {@link #reusable} will have once {@link #gather} is called. */
  int reusableCount() {
    return reusable.size() + loose.size();
  }

  /** The first of {@code count} adjacent pages that nobody sees. */
  long allocate(int count) {
    if (count == 1 && !loose.isEmpty()) {
      return loose.removeLast();
    }
    int patience = count * PATIENCE;
    while (true) {
      int at = findRun(count);
      if (at >= 0) {
        long first = reusable.at(at + count - 1);
        reusable.remove(at, count);
        return first;
      }
      if (reusable.size() >= count && --patience < 0) {
        break;
      }
      if (!loadRecord()) {
        break;
      }
    }
    long first = nextPage;
    nextPage += count;
    return first;
  }

  /** Index of the largest page of a run, preferring runs at the start of the file; -1 if none. */
  private int findRun(int count) {
    if (count >= noRunOf) {
      return -1;
    }
    for (int i = reusable.size() - 1; i >= count - 1; i--) {
      if (reusable.at(i - count + 1) == reusable.at(i) + count - 1) {
        return i - count + 1;
      }
    }
    noRunOf = count;
    return -1;
  }

  private boolean loadRecord() {
    long next = records.peek();
    if (next >= transaction - 1) {
      return false;
    }
    if (next >= oldest) {
      oldest = oldestReader.applyAsLong(transaction - 1);
      if (next >= oldest) {
        return false;
      }
    }
    record.clear();
    records.next(record, nextPage);
    lastLoaded = next;
    reusable.mergeDescending(record);
    noRunOf = Integer.MAX_VALUE;
    return true;
  }

  /** Takes back a page that readers may still see. */
  void release(long page) {
    released.add(page);
  }

  /** Takes back a page that this transaction had taken. */
  void reuse(long page) {
    loose.add(page);
  }

  /** Takes back a run that this transaction had taken. */
  void reuse(long first, long count) {
    if (count == 1) {
      loose.add(first);
      return;
    }
    record.clear();
    for (long page = first + count - 1; page >= first; page--) {
      record.add(page);
    }
    reusable.mergeDescending(record);
    noRunOf = Integer.MAX_VALUE;
  }

  /** Puts pages just made free in order with the others. */
  void gather() {
    if (!loose.isEmpty()) {
      loose.sortDescending();
      reusable.mergeDescending(loose);
      loose.clear();
      noRunOf = Integer.MAX_VALUE;
    }
  }

  /** Keeps what nobody sees for later transactions, as if it were released now. */
  void releaseReusable() {
    gather();
    for (int i = 0; i < reusable.size(); i++) {
      released.add(reusable.at(i));
    }
    reusable.clear();
  }

  void close() {
    records.close();
  }
}
