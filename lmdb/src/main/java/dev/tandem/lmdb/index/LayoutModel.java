package dev.tandem.lmdb.index;

import dev.tandem.lmdb.page.PageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Where liblmdb puts each record of a database that is filled in ascending order with records of
 * one size: only the right edge of the tree ever changes, so that is all it keeps. For one thread.
 */
final class LayoutModel {

  private final Provenance provenance;
  private final AllocationModel pages;
  private final Runs runs;
  private final LeafSink leaves;
  private final boolean inLeaf;
  private final int overflowPages;
  private final int nodeSize;

  /** The right edge, from the root to the leaf. */
  private final List<Page> edge = new ArrayList<>();

  private long records;

  /** One page of the right edge. */
  private static final class Page {
    private long number;
    private int entries;
    private boolean dirty = true;

    Page(long number, int entries) {
      this.number = number;
      this.entries = entries;
    }
  }

  /** Takes leaves in order, once nothing about them changes any more. */
  @FunctionalInterface
  interface LeafSink {
    void leaf(long page, int records);
  }

  /**
   * @param sink takes the locations of the records, in order
   */
  LayoutModel(Provenance provenance, Runs.Sink sink, LeafSink leaves) {
    this.leaves = leaves;
    this.provenance = provenance;
    this.pages = new AllocationModel(provenance.pageSize());
    this.runs = new Runs(sink);
    int size = PageFormat.NODE_HEADER + provenance.keySize() + provenance.recordSize();
    this.inLeaf = size <= PageFormat.maxNode(provenance.pageSize());
    this.nodeSize = (size + 1) & -2;
    this.overflowPages =
        inLeaf
            ? 0
            : (int) PageFormat.overflowPagesFor(provenance.recordSize(), provenance.pageSize());
  }

  /**
   * Adds records and commits as often as the provenance says, and once at the end.
   *
   * @param goOn asked before each record; the rest is left out once it says no
   */
  void add(long count, BooleanSupplier goOn) {
    for (long i = 0; i < count && goOn.getAsBoolean(); i++) {
      addRecord();
      if (++records % provenance.commitEvery() == 0) {
        commit();
      }
    }
    if (records % provenance.commitEvery() != 0) {
      commit();
    }
    if (!edge.isEmpty()) {
      placeLeaf(edge.getLast(), edge.getLast().entries);
    }
    runs.finish();
  }

  /** Page of the root. */
  long root() {
    return edge.getFirst().number;
  }

  int depth() {
    return edge.size();
  }

  /** The highest page in use. */
  long lastPage() {
    return pages.lastPage();
  }

  private void commit() {
    pages.commit();
    for (Page page : edge) {
      page.dirty = false;
    }
  }

  private void addRecord() {
    if (edge.isEmpty()) {
      edge.add(new Page(pages.allocate(1), 0));
    }
    for (Page page : edge) {
      if (!page.dirty) {
        page.number = pages.replace(page.number);
        page.dirty = true;
      }
    }
    Page leaf = edge.getLast();
    if (leaf.entries == leafCapacity()) {
      splitLeaf();
    } else {
      leaf.entries++;
    }
    if (!inLeaf) {
      long page = pages.allocate(overflowPages);
      runs.add(
          page * provenance.pageSize() + PageFormat.PAGE_HEADER, 0, provenance.recordSize(), 1);
    }
  }

  /** A leaf that is put into gives its last record to the new one; one appended to does not. */
  private int leafCapacity() {
    return provenance.recordsPerLeaf() + (provenance.order() == Provenance.Order.ASCENDING ? 1 : 0);
  }

  private void splitLeaf() {
    int level = edge.size() - 1;
    Page full = edge.get(level);
    int kept = provenance.recordsPerLeaf();
    int moved = full.entries - kept;
    placeLeaf(full, kept);
    Page right = new Page(pages.allocate(1), moved + 1);
    addParent(level);
    edge.set(edge.size() - 1, right);
  }

  /** Makes room for one more child above this level; the caller then replaces its page. */
  private void addParent(int level) {
    if (level == 0) {
      // The old root is the new root's first child, its new sibling the second.
      edge.addFirst(new Page(pages.allocate(1), 2));
      return;
    }
    Page parent = edge.get(level - 1);
    if (parent.entries < provenance.childrenPerBranch() + 1) {
      parent.entries++;
      return;
    }
    Page right = new Page(pages.allocate(1), 2);
    int depth = edge.size();
    addParent(level - 1);
    edge.set(level - 1 + (edge.size() - depth), right);
  }

  private void placeLeaf(Page leaf, int count) {
    leaves.leaf(leaf.number, count);
    if (!inLeaf) {
      return;
    }
    long end = (leaf.number + 1) * provenance.pageSize();
    int head = PageFormat.NODE_HEADER + provenance.keySize();
    runs.add(end - nodeSize + head, -nodeSize, provenance.recordSize(), count);
  }
}
