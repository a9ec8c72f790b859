package dev.tandem.lmdb.index;

import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.page.PageBudget;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.page.PageList;
import dev.tandem.lmdb.page.PageScan;
import dev.tandem.lmdb.page.Pages;
import dev.tandem.lmdb.page.TreeDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** The pages that hold a database's tree rather than its values; leaves are not read. */
public final class TreePages {

  private TreePages() {}

  /** Numbers of all branch and leaf pages; not those of trees of duplicates. */
  public static long[] of(Database database) {
    return database.tree().empty()
        ? new long[0]
        : levels(database).stream()
            .flatMapToLong(level -> LongStream.of(level.numbers()))
            .toArray();
  }

  /** All leaves of a database that is not empty, in key order. */
  static PageList leaves(Database database) {
    return levels(database).getLast();
  }

  /** From the root to the leaves, each level in key order. */
  private static List<PageList> levels(Database database) {
    Pages pages = database.pages();
    TreeDescription tree = database.tree();
    long from = database.described();
    if (tree.depth() < 1 || tree.depth() > TreeDescription.MAX_DEPTH) {
      throw pages.damaged(from + PageFormat.DB_DEPTH, "a tree cannot be " + tree.depth() + " deep");
    }
    PageScan scan = new PageScan(pages);
    PageBudget budget = new PageBudget(pages);
    List<PageList> levels = new ArrayList<>();
    levels.add(new PageList());
    levels.getFirst().add(tree.root(), from + PageFormat.DB_ROOT);
    for (int depth = 1; depth < tree.depth(); depth++) {
      PageList below = new PageList();
      for (PageList children : scan.children(levels.getLast())) {
        budget.spend(children.size(), from);
        below.addAll(children);
      }
      levels.add(below);
    }
    pages.ensureIntactInFile();
    return levels;
  }
}
