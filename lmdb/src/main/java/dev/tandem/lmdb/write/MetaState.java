package dev.tandem.lmdb.write;

import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.posix.DurableFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/** What a meta page says: one committed state of the environment. */
record MetaState(
    int pageSize, long mapSize, TreeRecord freeTree, TreeRecord mainTree, long lastPage, long id) {

  /** Pages start small enough for any file system and liblmdb goes no higher. */
  static final int MIN_PAGE_SIZE = 4096;

  static final int MAX_PAGE_SIZE = 32_768;

  private static final long MIN_MAP_SIZE = 1 << 20;

  /** The newest committed state. */
  static MetaState read(DurableFile file) {
    MetaState first = readPage(file, 0, 0);
    MetaState second = readPage(file, 1, first.pageSize);
    MetaState newest = first.id < second.id ? second : first;
    // The file may be shorter than it says, by free pages, and old files have a wrong map size.
    long pages = Math.max(newest.mapSize, file.size()) / newest.pageSize;
    if (newest.lastPage < PageFormat.META_PAGES - 1 || newest.lastPage >= pages) {
      int page = (int) (newest.id & 1);
      throw invalid(
          file.path(), page, page * (long) newest.pageSize, "last page " + newest.lastPage);
    }
    return newest;
  }

  private static MetaState readPage(DurableFile file, int page, long position) {
    ByteBuffer bytes = ByteBuffer.allocate(PageFormat.META_END).order(ByteOrder.LITTLE_ENDIAN);
    Path path = file.path();
    if (file.read(bytes, position) < PageFormat.META_END) {
      throw invalid(path, page, position, "the file ends inside it");
    }
    if (bytes.getInt(PageFormat.META_MAGIC) != PageFormat.MAGIC
        || (PageFormat.flags(bytes, 0) & PageFormat.META) == 0) {
      throw invalid(path, page, position, "this is no LMDB file");
    }
    int version = bytes.getInt(PageFormat.META_VERSION);
    if (version != PageFormat.VERSION) {
      throw invalid(
          path,
          page,
          position,
          "it has data version " + version + ", and only version 1 (LMDB 0.9) is written");
    }
    TreeRecord free = TreeRecord.read(bytes, PageFormat.META_FREE_DB);
    int pageSize = free.pad;
    if (pageSize < MIN_PAGE_SIZE || pageSize > MAX_PAGE_SIZE || Integer.bitCount(pageSize) != 1) {
      throw invalid(path, page, position, "pages of " + pageSize + " bytes cannot be written");
    }
    return new MetaState(
        pageSize,
        bytes.getLong(PageFormat.META_MAP_SIZE),
        free,
        TreeRecord.read(bytes, PageFormat.META_MAIN_DB),
        bytes.getLong(PageFormat.META_LAST_PAGE),
        bytes.getLong(PageFormat.META_TXN_ID));
  }

  private static WorkFailedException invalid(Path path, int page, long offset, String why) {
    return new WorkFailedException(
        "cannot use " + path + ": meta page " + page + " at offset " + offset + ": " + why);
  }

  /** The meta pages of a new environment. */
  static ByteBuffer newFile(int pageSize) {
    TreeRecord free = TreeRecord.empty(PageFormat.INTEGER_KEY);
    free.pad = pageSize;
    MetaState empty =
        new MetaState(
            pageSize, MIN_MAP_SIZE, free, TreeRecord.empty(0), PageFormat.META_PAGES - 1, 0);
    ByteBuffer pages =
        ByteBuffer.allocate(PageFormat.META_PAGES * pageSize).order(ByteOrder.LITTLE_ENDIAN);
    for (int page = 0; page < PageFormat.META_PAGES; page++) {
      int at = page * pageSize;
      pages.putLong(at, page);
      pages.putShort(at + 10, (short) PageFormat.META);
      pages.putInt(at + PageFormat.META_MAGIC, PageFormat.MAGIC);
      pages.putInt(at + PageFormat.META_VERSION, PageFormat.VERSION);
      empty.put(pages, at);
    }
    return pages;
  }

  /**
   * Writes this state to its meta page; it counts once it is on disk. If that fails, what was there
   * before is put back, so that other processes do not take an unfinished commit for a good one.
   */
  void commit(DurableFile file, boolean sync) {
    long position = (id & 1) * pageSize + PageFormat.META_MAP_SIZE;
    int length = PageFormat.META_END - PageFormat.META_MAP_SIZE;
    ByteBuffer old = ByteBuffer.allocate(length);
    file.read(old, position);
    ByteBuffer bytes = ByteBuffer.allocate(PageFormat.META_END).order(ByteOrder.LITTLE_ENDIAN);
    put(bytes, 0);
    // Magic and version stay as they are. What changes lies in one sector, so it is never torn.
    bytes.position(PageFormat.META_MAP_SIZE);
    try {
      file.write(bytes, position);
      if (sync) {
        file.forceData();
      }
    } catch (WorkFailedException e) {
      try {
        file.write(old.flip(), position);
      } catch (WorkFailedException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  private void put(ByteBuffer to, int at) {
    to.putLong(at + PageFormat.META_MAP_SIZE, mapSize);
    freeTree.write(to, at + PageFormat.META_FREE_DB);
    mainTree.write(to, at + PageFormat.META_MAIN_DB);
    to.putLong(at + PageFormat.META_LAST_PAGE, lastPage);
    to.putLong(at + PageFormat.META_TXN_ID, id);
  }

  /** A map size for this many pages that leaves liblmdb room to go on writing. */
  static long mapSizeFor(long pages, int pageSize, long before) {
    long used = pages * pageSize;
    long size = Math.max(before, MIN_MAP_SIZE);
    while (size < 2 * used) {
      size *= 2;
    }
    return size;
  }
}
