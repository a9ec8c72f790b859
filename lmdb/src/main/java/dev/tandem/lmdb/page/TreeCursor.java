package dev.tandem.lmdb.page;

/**
 * A position in one tree: keys of a database, or the duplicates of one key. The tree must have the
 * depth that its record says, so no descent is endless; the budget bounds walks. For one thread.
 */
public final class TreeCursor {

  private final Pages pages;
  private final PageBudget budget;
  private final boolean duplicates;
  private final KeyOrder order;
  private PageView[] path = new PageView[0];
  private int[] index = new int[0];
  private long root;

  /** The tree is one sub-page within a node, and loaded already. */
  private boolean inline;

  private int top;
  private int fixedSize;

  /** Where the root was named, for messages. */
  private long named;

  /**
   * @param duplicates the tree holds duplicates, so it may have packed pages
   */
  public TreeCursor(Pages pages, PageBudget budget, boolean duplicates, KeyOrder order) {
    this.pages = pages;
    this.budget = budget;
    this.duplicates = duplicates;
    this.order = order;
  }

  /** Chooses a tree that is not empty; {@code from} is the byte of the file that describes it. */
  public void open(TreeDescription tree, long from) {
    if (tree.depth() < 1 || tree.depth() > TreeDescription.MAX_DEPTH) {
      throw pages.damaged(from + PageFormat.DB_DEPTH, "a tree cannot be " + tree.depth() + " deep");
    }
    if (duplicates
        && tree.has(PageFormat.DUP_FIXED)
        && (tree.pad() < 0 || tree.pad() > pages.pageSize())) {
      throw pages.damaged(from, "duplicates cannot be " + tree.pad() + " bytes long");
    }
    root = tree.root();
    inline = false;
    top = tree.depth() - 1;
    fixedSize = duplicates && tree.has(PageFormat.DUP_FIXED) ? tree.pad() : -1;
    named = from + PageFormat.DB_ROOT;
    reserve(tree.depth());
  }

  /** Chooses the duplicates that lie within a node. */
  public void openSubPage(PageView parent, int node) {
    top = 0;
    inline = true;
    reserve(1);
    path[0].loadSubPage(parent, node);
  }

  private void reserve(int depth) {
    if (path.length < depth) {
      PageView[] longer = new PageView[depth];
      System.arraycopy(path, 0, longer, 0, path.length);
      for (int i = path.length; i < depth; i++) {
        longer[i] = new PageView(pages);
      }
      path = longer;
      index = new int[depth];
    }
  }

  /** The leaf that the cursor stands on. */
  public PageView leaf() {
    return path[top];
  }

  /** The place within the leaf. */
  public int position() {
    return index[top];
  }

  public void first() {
    descend(-1, true);
  }

  public void last() {
    descend(-1, false);
  }

  /** Goes down to the first or last leaf below the place where the path stands on this level. */
  private void descend(int from, boolean first) {
    for (int level = from; level < top; level++) {
      load(level + 1);
      index[level + 1] = first ? 0 : path[level + 1].count() - 1;
    }
  }

  /** Loads the page of this level, which the level above points to. */
  private void load(int level) {
    if (inline) {
      return;
    }
    long page = root;
    long from = named;
    if (level > 0) {
      PageView parent = path[level - 1];
      page = parent.child(index[level - 1]);
      from = parent.filePosition(parent.node(index[level - 1]));
    }
    budget.spend(1, from);
    path[level].load(page, level < top, fixedSize, from);
  }

  public boolean next() {
    int level = top;
    while (index[level] + 1 >= path[level].count()) {
      if (level-- == 0) {
        return false;
      }
    }
    index[level]++;
    descend(level, true);
    return true;
  }

  /** Goes to the beginning of the following leaf. */
  public boolean nextLeaf() {
    index[top] = path[top].count() - 1;
    return next();
  }

  /** A new walk begins, which may visit all pages again. */
  public void restart() {
    budget.reset();
  }

  public boolean previous() {
    int level = top;
    while (index[level] == 0) {
      if (level-- == 0) {
        return false;
      }
    }
    index[level]--;
    descend(level, false);
    return true;
  }

  /** Goes to the first key that is not below {@code sought}; false if there is none. */
  public boolean seek(byte[] sought) {
    for (int level = 0; level <= top; level++) {
      load(level);
      index[level] = level < top ? childFor(path[level], sought) : lowerBound(path[top], sought);
    }
    if (index[top] < path[top].count()) {
      return true;
    }
    index[top]--;
    return next();
  }

  /** Goes to the place that these indexes, one a level, lead to. */
  public void follow(int[] indexes) {
    for (int level = 0; level <= top; level++) {
      load(level);
      if (indexes[level] >= path[level].count()) {
        throw pages.damaged(named, "the tree has fewer pages than before");
      }
      index[level] = indexes[level];
    }
  }

  /** Goes to another entry of the leaf. */
  public void moveTo(int position) {
    if (position >= path[top].count()) {
      throw pages.damaged(named, "the leaf has fewer entries than before");
    }
    index[top] = position;
  }

  public boolean equalsKey(byte[] sought) {
    return compare(path[top], index[top], sought) == 0;
  }

  private int lowerBound(PageView page, byte[] sought) {
    int low = 0;
    int high = page.count();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compare(page, middle, sought) > 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The last child whose first key is not above the sought one; the first one's is not stored. */
  private int childFor(PageView page, byte[] sought) {
    int low = 1;
    int high = page.count();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compare(page, middle, sought) >= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  private int compare(PageView page, int at, byte[] sought) {
    return order.compare(sought, page.buffer(), page.keyAt(at), page.keySize(at));
  }
}
