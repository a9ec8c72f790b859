package dev.tandem.lmdb.page;

import dev.tandem.core.Progress;
import java.util.Arrays;

/**
 * How many entries each leaf of a tree has, and the way to each leaf: what LMDB's branches do not
 * say and access by ordinal needs. Built by one look at every page of the tree; 12 bytes a leaf.
 * Immutable.
 */
public final class TreeShape {

  /** For each branch level the number of the first child of each page, counted on its level. */
  private final int[][] firstChild;

  /** Ordinal of the first entry of each leaf. */
  private final long[] firstEntry;

  private final long entries;

  private TreeShape(int[][] firstChild, long[] firstEntry, long entries) {
    this.firstChild = firstChild;
    this.firstEntry = firstEntry;
    this.entries = entries;
  }

  /**
   * Looks at the whole tree of a database, by reads: faults of a mapping would read megabytes
   * around each leaf.
   *
   * @param from byte of the file that describes the tree
   */
  public static TreeShape ofDatabase(Pages pages, TreeDescription tree, long from) {
    PageScan scan = new PageScan(pages);
    PageBudget budget = new PageBudget(pages);
    int[][] firstChild = new int[tree.depth() - 1][];
    PageList level = new PageList();
    level.add(tree.root(), from + PageFormat.DB_ROOT);
    for (int depth = 0; depth < tree.depth() - 1; depth++) {
      firstChild[depth] = new int[level.size()];
      PageList below = new PageList();
      PageList[] children = scan.children(level);
      for (int i = 0; i < children.length; i++) {
        firstChild[depth][i] = below.size();
        budget.spend(children[i].size(), from);
        below.addAll(children[i]);
      }
      level = below;
    }
    boolean withDuplicates = tree.has(PageFormat.DUP_SORT);
    long[] counts = new long[level.size()];
    scan.visit(
        level,
        false,
        Progress.SILENT.start("", 0, ""),
        (worker, index, leaf) -> {
          long records = 0;
          for (int entry = 0; entry < leaf.count() && withDuplicates; entry++) {
            records += recordsOf(pages, leaf, leaf.node(entry));
          }
          counts[index] = withDuplicates ? records : leaf.count();
        });
    return ofCounts(firstChild, counts);
  }

  /** Looks at a whole tree of duplicates. */
  public static TreeShape ofDuplicates(Pages pages, TreeDescription tree, long from) {
    PageBudget budget = new PageBudget(pages);
    PageView view = new PageView(pages);
    int[][] firstChild = new int[tree.depth() - 1][];
    PageList level = new PageList();
    level.add(tree.root(), from + PageFormat.DB_ROOT);
    for (int depth = 0; depth < tree.depth() - 1; depth++) {
      firstChild[depth] = new int[level.size()];
      PageList below = new PageList();
      for (int i = 0; i < level.size(); i++) {
        firstChild[depth][i] = below.size();
        view.load(level.page(i), true, -1, level.from(i));
        budget.spend(view.count(), level.from(i));
        for (int child = 0; child < view.count(); child++) {
          below.add(view.child(child), view.filePosition(view.node(child)));
        }
      }
      level = below;
    }
    int fixedSize = tree.has(PageFormat.DUP_FIXED) ? tree.pad() : -1;
    long[] counts = new long[level.size()];
    for (int i = 0; i < counts.length; i++) {
      view.load(level.page(i), false, fixedSize, level.from(i));
      counts[i] = view.count();
    }
    return ofCounts(firstChild, counts);
  }

  private static TreeShape ofCounts(int[][] firstChild, long[] counts) {
    long entries = 0;
    for (int i = 0; i < counts.length; i++) {
      long here = counts[i];
      counts[i] = entries;
      entries += here;
    }
    return new TreeShape(firstChild, counts, entries);
  }

  /** Records of one leaf node of a database with duplicates. */
  public static long recordsOf(Pages pages, PageView leaf, int node) {
    int flags = leaf.flags(node);
    if ((flags & PageFormat.DUP_DATA) == 0) {
      return 1;
    }
    if ((flags & PageFormat.SUB_DATA) == 0) {
      PageView subPage = new PageView(pages);
      subPage.loadSubPage(leaf, node);
      return subPage.count();
    }
    long count = leaf.tree(node).entries();
    if (count < 1 || count > pages.pagesInFile() * pages.pageSize()) {
      throw leaf.damaged(node, "a key cannot have " + Long.toUnsignedString(count) + " values");
    }
    return count;
  }

  public long entries() {
    return entries;
  }

  /** Number of the leaf with this entry, counted in key order. */
  public int leafOf(long ordinal) {
    int found = Arrays.binarySearch(firstEntry, ordinal);
    return found >= 0 ? found : -found - 2;
  }

  /** Ordinal of the first entry of a leaf. */
  public long firstOf(int leaf) {
    return firstEntry[leaf];
  }

  /** Index on each level of the way to a leaf, and 0 within it. */
  public int[] pathTo(int leaf) {
    int[] path = new int[firstChild.length + 1];
    int page = leaf;
    for (int level = firstChild.length - 1; level >= 0; level--) {
      int found = Arrays.binarySearch(firstChild[level], page);
      int parent = found >= 0 ? found : -found - 2;
      path[level] = page - firstChild[level][parent];
      page = parent;
    }
    return path;
  }
}
