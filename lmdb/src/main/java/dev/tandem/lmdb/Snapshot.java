package dev.tandem.lmdb;

import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.page.MappedFile;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.page.Pages;
import dev.tandem.lmdb.page.ReaderSlot;
import dev.tandem.lmdb.page.SnapshotOverwrittenException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One committed state of an environment. It does not change while a writer goes on: either a reader
 * slot in the lock file keeps its pages, or reads notice that they were reused and throw {@link
 * SnapshotOverwrittenException}.
 *
 * <p>Everything taken from a snapshot (databases, cursors, segments) is borrowed from it and must
 * not be used after {@link #close()}. Any thread may use it.
 */
public final class Snapshot implements AutoCloseable {

  private final Pages pages;
  private final MappedFile mapped;
  private final ReaderSlot slot;
  private boolean closed;

  /**
   * Takes the mapping and the slot over.
   *
   * @param slot may be null
   */
  Snapshot(Pages pages, MappedFile mapped, ReaderSlot slot) {
    this.pages = pages;
    this.mapped = mapped;
    this.slot = slot;
  }

  /** Number of the transaction that committed this state. */
  public long transaction() {
    return pages.meta().transaction();
  }

  /** Bytes a page. */
  public int pageSize() {
    return pages.pageSize();
  }

  /** Number of the last page that this state uses. */
  public long lastPage() {
    return pages.meta().lastPage();
  }

  /** The size to which the last writer had mapped the file, in bytes. */
  public long mapSize() {
    return pages.meta().mapSize();
  }

  /** The main database. */
  public Database main() {
    return new Database(pages, null, pages.meta().main(), metaPosition() + PageFormat.META_MAIN_DB);
  }

  /** The free list: for each transaction the pages it freed, as liblmdb stores them. */
  public Database freeList() {
    return new Database(pages, null, pages.meta().free(), metaPosition() + PageFormat.META_FREE_DB);
  }

  private long metaPosition() {
    return (long) pages.meta().page() * pages.pageSize();
  }

  /** A named database; fails with a line that lists those there are. */
  public Database database(String name) {
    return find(name)
        .orElseThrow(
            () ->
                new WorkFailedException(
                    "there is no database '"
                        + name
                        + "' in "
                        + pages.path()
                        + "; it has "
                        + databaseNames()));
  }

  /** A named database, if the main one has it where its name belongs. */
  public Optional<Database> find(String name) {
    Cursor cursor = main().cursor();
    if (!cursor.seekExact(name.getBytes(StandardCharsets.UTF_8))) {
      return Optional.empty();
    }
    return Optional.ofNullable(cursor.namedTree())
        .map(tree -> new Database(pages, name, tree, cursor.valuePosition()));
  }

  /** The names of all named databases, in the order of the main database. */
  public List<String> databaseNames() {
    List<String> names = new ArrayList<>();
    Cursor cursor = main().cursor();
    while (cursor.next()) {
      if (cursor.namedTree() != null) {
        names.add(new String(cursor.key().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8));
      }
    }
    return names;
  }

  /** A slot in the lock file keeps writers from reusing the pages of this snapshot. */
  public boolean protectedBySlot() {
    return pages.pinned();
  }

  /**
   * Throws {@link SnapshotOverwrittenException} if bytes used before this call may not be of this
   * snapshot. Cursors call it at every move.
   */
  public void ensureIntact() {
    pages.ensureIntact();
  }

  public Pages pages() {
    return pages;
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      if (slot != null) {
        slot.release();
      }
      mapped.release();
    }
  }
}
