package dev.tandem.lmdb.page;

import java.util.Arrays;

/** Page numbers to follow, each with the byte of the file that names it. For one thread. */
public final class PageList {

  private long[] numbers = new long[64];
  private long[] origins = new long[64];
  private int size;

  public void add(long page, long from) {
    if (size == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * size);
      origins = Arrays.copyOf(origins, 2 * size);
    }
    numbers[size] = page;
    origins[size++] = from;
  }

  public void addAll(PageList other) {
    for (int i = 0; i < other.size; i++) {
      add(other.numbers[i], other.origins[i]);
    }
  }

  /** All page numbers, in order. */
  public long[] numbers() {
    return Arrays.copyOf(numbers, size);
  }

  public int size() {
    return size;
  }

  public long page(int index) {
    return numbers[index];
  }

  /** Byte of the file where the number of the page was found. */
  long from(int index) {
    return origins[index];
  }
}
