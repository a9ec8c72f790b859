package dev.tandem.lmdb;

import dev.tandem.lmdb.page.PageFormat;

/**
 * What a database records about itself, as {@code mdb_stat} prints it.
 *
 * @param entries key and value pairs; duplicates count one by one
 * @param flags LMDB's persistent database flags (MDB_DUPSORT and so on)
 */
public record DatabaseStatistics(
    long entries,
    int depth,
    long branchPages,
    long leafPages,
    long overflowPages,
    int flags,
    int pageSize) {

  /** Keys may have several values. */
  public boolean hasDuplicates() {
    return (flags & PageFormat.DUP_SORT) != 0;
  }
}
