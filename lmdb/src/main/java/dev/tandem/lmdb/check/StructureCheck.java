package dev.tandem.lmdb.check;

import dev.tandem.core.Progress;
import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.page.DamagedDatabaseException;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.page.Pages;
import dev.tandem.lmdb.page.SnapshotOverwrittenException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Walks a whole snapshot: each page must be reachable exactly once or free, pages must be what
 * their place says, keys and duplicates in order, and counts as recorded. What it cannot see is
 * damage within values; a record index with checksums finds that.
 *
 * <p>Order is judged by the database's flags; a program that set its own comparison functions will
 * see order problems here that are none.
 */
public final class StructureCheck {

  private static final int MAX_PROBLEMS = 100;

  private final Snapshot snapshot;
  private final Pages pages;
  private final PageUse use;
  private final List<String> problems = new ArrayList<>();
  private final Progress.Task task;

  private StructureCheck(Snapshot snapshot, Progress.Task task) {
    this.snapshot = snapshot;
    this.pages = snapshot.pages();
    this.use = new PageUse(pages);
    this.task = task;
  }

  /**
   * What was found.
   *
   * @param problems one line each, the first hundred; empty if the structure is sound
   */
  public record Report(PageCensus census, List<String> problems) {
    public boolean sound() {
      return problems.isEmpty();
    }
  }

  /** Checks everything; throws only if the snapshot was overwritten meanwhile. */
  public static Report run(Snapshot snapshot, Progress progress) {
    Pages pages = snapshot.pages();
    try (Progress.Task task =
        progress.start("check " + pages.path(), pages.pagesInFile(), "pages")) {
      Report report = new StructureCheck(snapshot, task).run();
      pages.ensureIntact();
      return report;
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw pages.unreadable(e);
    }
  }

  private Report run() {
    Database free = snapshot.freeList();
    Database main = snapshot.main();
    check(free, "the free list");
    check(main, "the main database");
    List<String> names = List.of();
    try {
      names = snapshot.databaseNames();
    } catch (DamagedDatabaseException e) {
      report(e.getMessage());
    }
    for (String name : names) {
      try {
        Optional<Database> database = snapshot.find(name);
        if (database.isPresent()) {
          check(database.get(), "database '" + name + "'");
        } else {
          report(pages.path() + ": database '" + name + "' is not found where its name belongs");
        }
      } catch (DamagedDatabaseException e) {
        report(e.getMessage());
      }
    }
    try {
      checkFreePages(free);
    } catch (DamagedDatabaseException e) {
      report(e.getMessage());
    }
    return new Report(use.census(), List.copyOf(problems));
  }

  private void check(Database database, String name) {
    new TreeCheck(this, name, database.tree().flags(), false)
        .check(database.tree(), database.described());
  }

  private void checkFreePages(Database free) {
    Cursor cursor = free.cursor();
    while (cursor.next()) {
      long length = cursor.valueLength();
      long position = cursor.valuePosition();
      long count = length < Long.BYTES ? -1 : pages.number(position);
      if (count < 0 || count > length / Long.BYTES - 1) {
        report(
            pages
                .damaged(position, "a free list of " + length + " bytes cannot have " + count)
                .getMessage());
        continue;
      }
      for (long i = 1; i <= count; i++) {
        long at = position + i * Long.BYTES;
        long page = pages.number(at);
        if (page < PageFormat.META_PAGES || page > snapshot.lastPage()) {
          report(pages.damaged(at, "there can be no page " + page + " to be free").getMessage());
        } else if (!use.free(page)) {
          report(
              pages.damaged(at, "page " + page + " is free but used, or twice free").getMessage());
        }
      }
    }
  }

  Pages pages() {
    return pages;
  }

  PageUse use() {
    return use;
  }

  /** Notes a problem, and goes on; a snapshot that was overwritten ends the check. */
  void report(RuntimeException problem) {
    if (problem instanceof SnapshotOverwrittenException) {
      throw problem;
    }
    report(problem.getMessage());
  }

  void report(String problem) {
    if (problems.size() < MAX_PROBLEMS) {
      problems.add(problem);
    }
  }

  void progress() {
    task.advanceTo(use.used());
  }
}
