package dev.tandem.lmdb.check;

import dev.tandem.lmdb.page.DamagedDatabaseException;
import dev.tandem.lmdb.page.KeyOrder;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.page.PageView;
import dev.tandem.lmdb.page.Pages;
import dev.tandem.lmdb.page.TreeDescription;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.ToLongFunction;

/** Walks one tree for {@link StructureCheck}, and the trees of duplicates below it. */
final class TreeCheck {

  private final StructureCheck check;
  private final Pages pages;
  private final String name;
  private final int databaseFlags;
  private final boolean duplicates;
  private final KeyOrder order;
  private long branches;
  private long leaves;
  private long overflow;
  private long entries;

  /** The key before the one that is looked at, or null at the beginning. */
  private byte[] last;

  /** Separator of the branch entry that leads to the page below, until its first key is seen. */
  private byte[] lower;

  /**
   * @param databaseFlags flags of the database, also for its trees of duplicates
   */
  TreeCheck(StructureCheck check, String name, int databaseFlags, boolean duplicates) {
    this.check = check;
    this.pages = check.pages();
    this.name = name;
    this.databaseFlags = databaseFlags;
    this.duplicates = duplicates;
    this.order = duplicates ? KeyOrder.ofDuplicates(databaseFlags) : KeyOrder.ofKeys(databaseFlags);
  }

  /**
   * Walks the tree and compares it with its record.
   *
   * @return entries found
   */
  long check(TreeDescription tree, long described) {
    if (!tree.empty()) {
      if (tree.depth() < 1 || tree.depth() > TreeDescription.MAX_DEPTH) {
        check.report(
            pages.damaged(
                described + PageFormat.DB_DEPTH, "a tree cannot be " + tree.depth() + " deep"));
        return 0;
      }
      int fixed = duplicates && tree.has(PageFormat.DUP_FIXED) ? tree.pad() : -1;
      if (fixed > pages.pageSize()) {
        check.report(pages.damaged(described, "duplicates cannot be " + fixed + " bytes long"));
        return 0;
      }
      page(tree.root(), tree.depth() - 1, fixed, described + PageFormat.DB_ROOT);
    } else if (tree.depth() != 0) {
      check.report(
          pages.damaged(
              described + PageFormat.DB_DEPTH, "an empty tree is not " + tree.depth() + " deep"));
    }
    compare(tree, "branch pages", TreeDescription::branchPages, branches, described);
    compare(tree, "leaf pages", TreeDescription::leafPages, leaves, described);
    compare(tree, "overflow pages", TreeDescription::overflowPages, overflow, described);
    compare(tree, "entries", TreeDescription::entries, entries, described);
    return entries;
  }

  private void compare(
      TreeDescription tree,
      String what,
      ToLongFunction<TreeDescription> says,
      long found,
      long described) {
    long recorded = says.applyAsLong(tree);
    if (recorded != found) {
      check.report(
          pages.damaged(
              described, name + " says it has " + recorded + " " + what + ", there are " + found));
    }
  }

  private void page(long page, int levelsBelow, int fixed, long from) {
    PageView view = new PageView(pages);
    try {
      view.load(page, levelsBelow > 0, fixed, from);
      if (!check.use().take(page, 1)) {
        throw pages.damaged(from, "page " + page + " is used more than once");
      }
      check.progress();
      int used = pages.pageSize() - PageFormat.PAGE_HEADER - view.freeBytes();
      if (levelsBelow > 0) {
        branches++;
        check.use().branch(used);
      } else {
        leaves++;
        check.use().leaf(used);
      }
    } catch (DamagedDatabaseException e) {
      check.report(e);
      return;
    }
    for (int i = 0; i < view.count(); i++) {
      try {
        if (levelsBelow == 0) {
          entry(view, i);
        } else {
          child(view, i, levelsBelow, fixed);
        }
      } catch (DamagedDatabaseException e) {
        check.report(e);
      }
    }
  }

  private void child(PageView view, int index, int levelsBelow, int fixed) {
    int node = view.node(index);
    if (index > 0) {
      byte[] separator = key(view, index);
      if (last != null && compareToLast(separator) <= 0) {
        check.report(view.damaged(node, "the key of branch entry " + index + " is not in order"));
      }
      // The first key below may equal the separator: it must only be above what came before.
      lower = separator;
    }
    page(view.child(index), levelsBelow - 1, fixed, view.filePosition(node));
    lower = null;
  }

  private void entry(PageView view, int index) {
    byte[] key = key(view, index);
    int at = view.keyAt(index);
    if ((last != null && compareToLast(key) <= 0)
        || (lower != null && order.compare(lower, view.buffer(), at, key.length) > 0)) {
      check.report(
          pages.damaged(
              view.filePosition(at), "entry " + index + " of " + name + " is not in order"));
    }
    lower = null;
    last = key;
    if (duplicates) {
      entries++;
      return;
    }
    int node = view.node(index);
    int flags = view.flags(node);
    if ((flags & PageFormat.DUP_DATA) != 0) {
      entries += values(view, node, flags);
      return;
    }
    entries++;
    if ((flags & PageFormat.BIG_DATA) != 0) {
      value(view, node);
    } else {
      view.dataSize(node);
    }
  }

  private long values(PageView view, int node, int flags) {
    if ((databaseFlags & PageFormat.DUP_SORT) == 0) {
      throw view.damaged(node, "duplicates in a database that has none");
    }
    TreeCheck below = new TreeCheck(check, "the duplicates of a key", databaseFlags, true);
    if ((flags & PageFormat.SUB_DATA) != 0) {
      return below.check(view.tree(node), view.filePosition(view.dataAt(node)));
    }
    PageView subPage = new PageView(pages);
    subPage.loadSubPage(view, node);
    for (int i = 0; i < subPage.count(); i++) {
      below.entry(subPage, i);
    }
    return below.entries;
  }

  /** A value on overflow pages; its run may be longer than it needs after it was overwritten. */
  private void value(PageView view, int node) {
    view.valuePosition(node);
    long first = view.overflowPage(node);
    long start = pages.position(first);
    long run = PageFormat.overflowPages(pages.window(first), pages.inWindow(first));
    long number = PageFormat.pageNumber(pages.window(first), pages.inWindow(first));
    int flags = PageFormat.flags(pages.window(first), pages.inWindow(first));
    if (number != first || (flags & ~PageFormat.DIRTY) != PageFormat.OVERFLOW) {
      throw pages.damaged(start, "this is no overflow page");
    }
    if (run < PageFormat.overflowPagesFor(view.valueLength(node), pages.pageSize())
        || run > pages.pagesInFile() - first) {
      throw pages.damaged(start + 12, "the value cannot have " + run + " pages");
    }
    overflow += run;
    check.use().overflow(run);
    if (!check.use().take(first, run)) {
      throw view.damaged(node, "page " + first + " or one behind it is used more than once");
    }
  }

  private static byte[] key(PageView view, int index) {
    byte[] key = new byte[view.keySize(index)];
    view.buffer().get(view.keyAt(index), key);
    return key;
  }

  private int compareToLast(byte[] key) {
    ByteBuffer other = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
    return -order.compare(last, other, 0, key.length);
  }
}
