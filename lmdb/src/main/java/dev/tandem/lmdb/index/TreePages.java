package dev.tandem.lmdb.index;

import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.page.PageBudget;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.page.PageList;
import dev.tandem.lmdb.page.PageScan;
import dev.tandem.lmdb.page.Pages;
import dev.tandem.lmdb.page.TreeDescription;
import java.util.Arrays;

/**
 * The pages that hold a database's tree rather than its values: for who copies a part of a file.
 */
public final class TreePages {

  private TreePages() {}

  /** Numbers of all branch and leaf pages; not those of trees of duplicates. */
  public static long[] of(Database database) {
    TreeDescription tree = database.tree();
    if (tree.empty()) {
      return new long[0];
    }
    Pages pages = database.pages();
    PageScan scan = new PageScan(pages);
    PageBudget budget = new PageBudget(pages);
    PageList level = new PageList();
    level.add(tree.root(), database.described() + PageFormat.DB_ROOT);
    long[] all = level.numbers();
    for (int depth = 1; depth < tree.depth(); depth++) {
      PageList below = new PageList();
      for (PageList children : scan.children(level)) {
        budget.spend(children.size(), database.described());
        below.addAll(children);
      }
      level = below;
      int before = all.length;
      all = Arrays.copyOf(all, before + level.size());
      System.arraycopy(level.numbers(), 0, all, before, level.size());
    }
    pages.ensureIntactInFile();
    return all;
  }
}
