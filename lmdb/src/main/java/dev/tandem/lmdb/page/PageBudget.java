package dev.tandem.lmdb.page;

/**
 * How many pages a walk in one direction may still visit. A sound tree has each page once, so a
 * walk that needs more than the file has goes in circles. For one thread.
 */
public final class PageBudget {

  private final Pages pages;
  private long left;

  public PageBudget(Pages pages) {
    this.pages = pages;
    reset();
  }

  /** A new walk begins. */
  public void reset() {
    left = pages.pagesInFile();
  }

  /** Spends pages that are referred to from this byte of the file. */
  public void spend(long count, long from) {
    left -= count;
    if (left < 0) {
      throw pages.damaged(from, "pages are used more than once; the tree goes in circles");
    }
  }
}
