package dev.tandem.lmdb.page;

import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * One committed state of an environment: the content of a meta page.
 *
 * @param page 0 or 1: the meta page it stands on
 */
public record Meta(
    int page,
    int pageSize,
    long mapSize,
    TreeDescription free,
    TreeDescription main,
    long lastPage,
    long transaction) {

  /** Version number of files written by LMDB 0.9.90 and later. */
  private static final int NEXT_VERSION = 2;

  /**
   * The newest committed state. A writer may be replacing the older of the two meta pages just now;
   * both are read again until nothing changes.
   */
  public static Meta newest(Path file, FileChannel channel) {
    try {
      Meta choice = choose(file, channel);
      for (Meta again = choose(file, channel); !again.same(choice); again = choose(file, channel)) {
        choice = again;
      }
      choice.check(file);
      return choice;
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  /** The number of the transaction that is on a meta page now. */
  public static long transaction(Path file, FileChannel channel, long at) {
    ByteBuffer number = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    try {
      channel.read(number, at + PageFormat.META_TXN_ID);
      return number.getLong(0);
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  private static Meta choose(Path file, FileChannel channel) throws IOException {
    Meta zero = read(file, channel, 0, 0);
    Meta one = read(file, channel, 1, zero.pageSize);
    if (one.pageSize != zero.pageSize) {
      throw new DamagedDatabaseException(
          file,
          1,
          (long) zero.pageSize + PageFormat.META_FREE_DB,
          "the meta pages disagree on the page size, " + zero.pageSize + " and " + one.pageSize);
    }
    return zero.transaction < one.transaction ? one : zero;
  }

  // Not equals(): the one that records have takes a new JVM longer than opening a database.
  private boolean same(Meta other) {
    return page == other.page
        && transaction == other.transaction
        && lastPage == other.lastPage
        && main.root() == other.main.root()
        && free.root() == other.free.root();
  }

  private static Meta read(Path file, FileChannel channel, int page, int from) throws IOException {
    ByteBuffer start = ByteBuffer.allocate(PageFormat.META_END).order(ByteOrder.LITTLE_ENDIAN);
    while (start.hasRemaining()) {
      if (channel.read(start, (long) from + start.position()) < 0) {
        throw new DamagedDatabaseException(
            file,
            page,
            channel.size(),
            "the file ends within meta page " + page + "; it is no LMDB database or was cut off");
      }
    }
    return read(file, start, page, from);
  }

  private static Meta read(Path file, ByteBuffer start, int page, long at) {
    int magic = start.getInt(PageFormat.META_MAGIC);
    if (magic != PageFormat.MAGIC || (PageFormat.flags(start, 0) & PageFormat.META) == 0) {
      throw new DamagedDatabaseException(
          file, page, at + PageFormat.META_MAGIC, "this is no LMDB database");
    }
    int version = start.getInt(PageFormat.META_VERSION);
    if (version != PageFormat.VERSION) {
      throw new DamagedDatabaseException(
          file,
          page,
          at + PageFormat.META_VERSION,
          "data version "
              + version
              + " instead of 1"
              + (version == NEXT_VERSION
                  ? "; it was written by LMDB 0.9.90 or later, copy it with mdb_dump and mdb_load"
                  : ""));
    }
    int pageSize = start.getInt(PageFormat.META_FREE_DB);
    if (Integer.bitCount(pageSize) != 1
        || pageSize < PageFormat.MIN_PAGE_SIZE
        || pageSize > PageFormat.MAX_PAGE_SIZE) {
      throw new DamagedDatabaseException(
          file,
          page,
          at + PageFormat.META_FREE_DB,
          "a page size of " + (pageSize & 0xFFFF_FFFFL) + " bytes is not possible");
    }
    // The free list's flags field doubles as the environment's flags: only its key order is fixed.
    return new Meta(
        page,
        pageSize,
        start.getLong(PageFormat.META_MAP_SIZE),
        TreeDescription.read(start, PageFormat.META_FREE_DB).withFlags(PageFormat.INTEGER_KEY),
        TreeDescription.read(start, PageFormat.META_MAIN_DB),
        start.getLong(PageFormat.META_LAST_PAGE),
        start.getLong(PageFormat.META_TXN_ID));
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
