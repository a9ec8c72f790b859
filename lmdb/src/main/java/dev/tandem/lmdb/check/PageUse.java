package dev.tandem.lmdb.check;

import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.page.Pages;
import java.util.BitSet;

/** Which pages of a snapshot have been met, and as what. For one thread. */
final class PageUse {

  private final Pages pages;

  /** Pages within the file; a bit for each, so never more memory than the file has bytes. */
  private final BitSet met;

  private long branch;
  private long leaf;
  private long overflow;
  private long free;
  private long branchBytes;
  private long leafBytes;

  PageUse(Pages pages) {
    this.pages = pages;
    this.met = new BitSet((int) Math.min(pages.pagesInFile(), Integer.MAX_VALUE));
  }

  /** Notes that a run of pages is used; false if any of them has been met before. */
  boolean take(long first, long count) {
    int from = Math.toIntExact(first);
    int to = Math.toIntExact(first + count);
    int next = met.nextSetBit(from);
    if (next >= 0 && next < to) {
      return false;
    }
    met.set(from, to);
    return true;
  }

  void branch(int usedBytes) {
    branch++;
    branchBytes += usedBytes;
  }

  void leaf(int usedBytes) {
    leaf++;
    leafBytes += usedBytes;
  }

  void overflow(long count) {
    overflow += count;
  }

  /** Notes a free page; false if it has been met before. Pages behind the file were never used. */
  boolean free(long page) {
    if (page < pages.pagesInFile() && !take(page, 1)) {
      return false;
    }
    free++;
    return true;
  }

  long used() {
    return branch + leaf + overflow;
  }

  PageCensus census() {
    int usable = pages.pageSize() - PageFormat.PAGE_HEADER;
    long all = pages.meta().lastPage() + 1;
    return new PageCensus(
        PageFormat.META_PAGES,
        branch,
        leaf,
        overflow,
        free,
        Math.max(0, all - PageFormat.META_PAGES - used() - free),
        branch == 0 ? 0 : (double) branchBytes / (branch * usable),
        leaf == 0 ? 0 : (double) leafBytes / (leaf * usable));
  }
}
