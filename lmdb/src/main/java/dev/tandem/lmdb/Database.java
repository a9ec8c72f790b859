package dev.tandem.lmdb;

import dev.tandem.lmdb.page.Pages;
import dev.tandem.lmdb.page.TreeDescription;
import dev.tandem.lmdb.page.TreeShape;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * One tree of an environment as a snapshot sees it: the main database, a named one, or the free
 * list. Any thread may use it until its snapshot closes; each thread takes its own {@link Cursor}.
 */
public final class Database {

  private final Pages pages;
  private final String name;
  private final TreeDescription tree;

  /** Byte of the file that describes this tree. */
  private final long described;

  /** Built at the first access by ordinal; threads that race build it twice, equal. */
  private volatile TreeShape shape;

  Database(Pages pages, String name, TreeDescription tree, long described) {
    this.pages = pages;
    this.name = name;
    this.tree = tree;
    this.described = described;
  }

  /** The name of a named database, or empty for the main one. */
  public Optional<String> name() {
    return Optional.ofNullable(name);
  }

  /** What the database records about itself. */
  public DatabaseStatistics statistics() {
    return new DatabaseStatistics(
        tree.entries(),
        tree.depth(),
        tree.branchPages(),
        tree.leafPages(),
        tree.overflowPages(),
        tree.flags(),
        pages.pageSize());
  }

  /** Key and value pairs; duplicates count one by one. */
  public long size() {
    return tree.entries();
  }

  /** A new cursor that stands nowhere. */
  public Cursor cursor() {
    return new Cursor(pages, this);
  }

  /** The (first) value of a key, borrowed until the snapshot closes. */
  public Optional<MemorySegment> find(byte[] key) {
    Cursor cursor = cursor();
    return cursor.seekExact(key) ? Optional.of(cursor.value()) : Optional.empty();
  }

  public Pages pages() {
    return pages;
  }

  public TreeDescription tree() {
    return tree;
  }

  public long described() {
    return described;
  }

  TreeShape shape() {
    TreeShape known = shape;
    if (known == null) {
      known = TreeShape.ofDatabase(pages, tree, described);
      pages.ensureIntact();
      shape = known;
    }
    return known;
  }
}
