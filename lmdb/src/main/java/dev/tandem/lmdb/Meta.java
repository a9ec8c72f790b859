package dev.tandem.lmdb;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * One committed state of an environment: the content of a meta page.
 *
 * @param page 0 or 1: the meta page it stands on
 */
record Meta(
    int page,
    int pageSize,
    long mapSize,
    TreeRecord free,
    TreeRecord main,
    long lastPage,
    long transaction) {

  /** Version number of files written by LMDB 0.9.90 and later. */
  private static final int NEXT_VERSION = 2;

  /**
   * The newest committed state. A writer may be replacing the older of the two meta pages just now;
   * both are read again until nothing changes.
   *
   * @param start a little-endian buffer over the beginning of the file
   */
  static Meta newest(Path file, ByteBuffer start, long fileSize) {
    Meta choice = choose(file, start, fileSize);
    for (Meta again = choose(file, start, fileSize);
        !again.equals(choice);
        again = choose(file, start, fileSize)) {
      choice = again;
    }
    return choice;
  }

  private static Meta choose(Path file, ByteBuffer start, long fileSize) {
    Meta zero = read(file, start, fileSize, 0, 0);
    Meta one = read(file, start, fileSize, 1, zero.pageSize);
    if (one.pageSize != zero.pageSize) {
      throw new DamagedDatabaseException(
          file,
          1,
          (long) zero.pageSize + PageFormat.META_FREE_DB,
          "the meta pages disagree on the page size, " + zero.pageSize + " and " + one.pageSize);
    }
    Meta choice = zero.transaction < one.transaction ? one : zero;
    choice.check(file);
    return choice;
  }

  private static Meta read(Path file, ByteBuffer start, long fileSize, int page, int at) {
    if (fileSize < (long) at + PageFormat.META_END) {
      throw new DamagedDatabaseException(
          file,
          page,
          fileSize,
          "the file ends within meta page " + page + "; it is no LMDB database or was cut off");
    }
    int magic = start.getInt(at + PageFormat.META_MAGIC);
    if (magic != PageFormat.MAGIC || (PageFormat.flags(start, at) & PageFormat.META) == 0) {
      throw new DamagedDatabaseException(
          file, page, (long) at + PageFormat.META_MAGIC, "this is no LMDB database");
    }
    int version = start.getInt(at + PageFormat.META_VERSION);
    if (version != PageFormat.VERSION) {
      throw new DamagedDatabaseException(
          file,
          page,
          (long) at + PageFormat.META_VERSION,
          "data version "
              + version
              + " instead of 1"
              + (version == NEXT_VERSION
                  ? "; it was written by LMDB 0.9.90 or later, copy it with mdb_dump and mdb_load"
                  : ""));
    }
    int pageSize = start.getInt(at + PageFormat.META_FREE_DB);
    if (Integer.bitCount(pageSize) != 1
        || pageSize < PageFormat.MIN_PAGE_SIZE
        || pageSize > PageFormat.MAX_PAGE_SIZE) {
      throw new DamagedDatabaseException(
          file,
          page,
          (long) at + PageFormat.META_FREE_DB,
          "a page size of " + (pageSize & 0xFFFF_FFFFL) + " bytes is not possible");
    }
    // The free list's flags field doubles as the environment's flags: only its key order is fixed.
    return new Meta(
        page,
        pageSize,
        start.getLong(at + PageFormat.META_MAP_SIZE),
        TreeRecord.read(start, at + PageFormat.META_FREE_DB).withFlags(PageFormat.INTEGER_KEY),
        TreeRecord.read(start, at + PageFormat.META_MAIN_DB),
        start.getLong(at + PageFormat.META_LAST_PAGE),
        start.getLong(at + PageFormat.META_TXN_ID));
  }

  private void check(Path file) {
    if (lastPage < PageFormat.META_PAGES - 1 || lastPage >= Long.MAX_VALUE / pageSize - 1) {
      throw new DamagedDatabaseException(
          file,
          page,
          (long) page * pageSize + PageFormat.META_LAST_PAGE,
          "the last page cannot be " + Long.toUnsignedString(lastPage));
    }
  }
}
