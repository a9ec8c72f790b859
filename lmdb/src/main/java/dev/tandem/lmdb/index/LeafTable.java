package dev.tandem.lmdb.index;

import java.util.Arrays;

/** The leaves of a database in key order: page numbers and first ordinals. Immutable. */
final class LeafTable {

  private final long[] pages;
  private final long[] first;

  /**
   * Takes the arrays over.
   *
   * @param first ordinal of the first record of each leaf; duplicates count one by one
   */
  LeafTable(long[] pages, long[] first) {
    this.pages = pages;
    this.first = first;
  }

  /** Turns the counts into ordinals, in place. */
  static LeafTable ofCounts(long[] pages, long[] counts) {
    long ordinal = 0;
    for (int i = 0; i < counts.length; i++) {
      long here = counts[i];
      counts[i] = ordinal;
      ordinal += here;
    }
    return new LeafTable(pages, counts);
  }

  int size() {
    return pages.length;
  }

  long page(int leaf) {
    return pages[leaf];
  }

  /** Ordinal of the leaf's first record. */
  long first(int leaf) {
    return first[leaf];
  }

  /** The leaf with the key of this record. */
  int leafOf(long ordinal) {
    int found = Arrays.binarySearch(first, ordinal);
    return found >= 0 ? found : -found - 2;
  }

  long memory() {
    return 16L * pages.length;
  }
}
