package dev.tandem.lmdb.index;

import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.page.Meta;

/**
 * The state of a database that an index belongs to. Every commit that changes a database gives it
 * another root page or another transaction, so an index of an older state is noticed.
 *
 * @param database name, or empty for the main database
 */
record IndexBinding(
    String database, int pageSize, long transaction, long lastPage, long root, long entries) {

  /** The same state. Not equals(): the one that records have takes a new JVM many milliseconds. */
  boolean same(IndexBinding other) {
    return database.equals(other.database)
        && pageSize == other.pageSize
        && transaction == other.transaction
        && lastPage == other.lastPage
        && root == other.root
        && entries == other.entries;
  }

  static IndexBinding of(Database database) {
    Meta meta = database.pages().meta();
    return new IndexBinding(
        database.name().orElse(""),
        meta.pageSize(),
        meta.transaction(),
        meta.lastPage(),
        database.tree().root(),
        database.tree().entries());
  }
}
