package dev.tandem.lmdb.page;

import java.util.Arrays;

/** A growing list of page numbers. */
public final class LongList {

  private long[] items = new long[64];
  private int size;

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  public long at(int index) {
    return items[index];
  }

  public void add(long item) {
    reserve(size + 1);
    items[size++] = item;
  }

  public long removeLast() {
    return items[--size];
  }

  /** Removes {@code count} items from {@code from} on. */
  public void remove(int from, int count) {
    System.arraycopy(items, from + count, items, from, size - from - count);
    size -= count;
  }

  public void clear() {
    size = 0;
  }

  /** Sorts from the largest to the smallest, as LMDB keeps its lists. */
  public void sortDescending() {
    Arrays.sort(items, 0, size);
    for (int i = 0, j = size - 1; i < j; i++, j--) {
      long swapped = items[i];
      items[i] = items[j];
      items[j] = swapped;
    }
  }

  /** Merges another descending list into this descending one. */
  public void mergeDescending(LongList other) {
    int mine = size - 1;
    int theirs = other.size - 1;
    reserve(size + other.size);
    int to = size + other.size - 1;
    while (theirs >= 0) {
      if (mine >= 0 && items[mine] < other.items[theirs]) {
        items[to--] = items[mine--];
      } else {
        items[to--] = other.items[theirs--];
      }
    }
    size += other.size;
  }

  private void reserve(int wanted) {
    if (wanted > items.length) {
      items = Arrays.copyOf(items, Math.max(wanted, items.length * 2));
    }
  }
}
