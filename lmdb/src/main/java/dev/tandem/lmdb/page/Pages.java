package dev.tandem.lmdb.page;

import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * The pages of one committed state: bounds, messages, and the test whether the state is still
 * there. Immutable; any thread may use it while its mapping is held.
 *
 * <p>Note [Overwritten snapshots]: a writer frees a page of state S in transaction S+1 at the
 * earliest and may reuse it from S+3 on, after S+2 was committed over the meta page of S. So as
 * long as that meta page still carries the number S, all that was read before is of state S.
 */
public final class Pages {

  private final Path path;
  private final FileChannel channel;
  private final MappedFile file;
  private final Meta meta;
  private final int shift;
  private final long pagesInFile;
  private final boolean pinned;

  /**
   * @param pinned a reader slot keeps writers from reusing this state's pages
   */
  public Pages(Path path, FileChannel channel, MappedFile file, Meta meta, boolean pinned) {
    this.path = path;
    this.channel = channel;
    this.file = file;
    this.meta = meta;
    this.shift = Integer.numberOfTrailingZeros(meta.pageSize());
    this.pagesInFile = Math.min(file.size() >>> shift, meta.lastPage() + 1);
    this.pinned = pinned;
  }

  public boolean pinned() {
    return pinned;
  }

  public Path path() {
    return path;
  }

  public Meta meta() {
    return meta;
  }

  public int pageSize() {
    return meta.pageSize();
  }

  /** Pages that can be read: those of the state, as far as the file goes. */
  public long pagesInFile() {
    return pagesInFile;
  }

  public long position(long page) {
    return page << shift;
  }

  public ByteBuffer window(long page) {
    return file.window(page << shift);
  }

  public int inWindow(long page) {
    return MappedFile.inWindow(page << shift);
  }

  /** A copy of a page, read past the mapping: a fault of that may read megabytes around it. */
  public ByteBuffer copy(long page) {
    checkPage(page, position(page));
    ByteBuffer bytes = ByteBuffer.allocate(pageSize()).order(ByteOrder.LITTLE_ENDIAN);
    fill(bytes, position(page));
    return bytes.clear();
  }

  /** Fills a buffer from the file. */
  void fill(ByteBuffer buffer, long position) {
    try {
      while (buffer.hasRemaining()) {
        if (channel.read(buffer, position + buffer.position()) < 0) {
          throw damaged(position, "the file became shorter while it was read");
        }
      }
    } catch (IOException e) {
      throw FileErrors.failure("read", path, e);
    }
  }

  /** A number at an even distance from a page's beginning; the caller has checked the bounds. */
  public long number(long position) {
    return file.window(position).getLong(MappedFile.inWindow(position));
  }

  /** Borrowed bytes of the file; the caller has checked the bounds with {@link #checkValue}. */
  public MemorySegment slice(long position, long length) {
    return file.slice(position, length);
  }

  /**
   * Checks that a page number may be followed.
   *
   * @param at byte of the file where the number was found
   */
  void checkPage(long page, long at) {
    if (page < PageFormat.META_PAGES || page >= pagesInFile) {
      throw noSuchPage(page, at);
    }
  }

  private RuntimeException noSuchPage(long page, long at) {
    String number = Long.toUnsignedString(page);
    return damaged(
        at,
        page >= PageFormat.META_PAGES && page <= meta.lastPage()
            ? "page " + number + " lies behind the end of the file, which was cut off"
            : "there can be no page " + number + ", pages go from 2 to " + meta.lastPage());
  }

  /** Checks that a value on overflow pages lies within the file. */
  void checkValue(long page, long length, long at) {
    checkPage(page, at);
    if (length > ((pagesInFile - page) << shift) - PageFormat.PAGE_HEADER) {
      throw damaged(at, "a value of " + length + " bytes from page " + page + " leaves the file");
    }
  }

  /**
   * What to throw for a contradiction seen at this byte of the file: damage, unless the state has
   * been overwritten, which explains any contradiction.
   */
  public RuntimeException damaged(long at, String what) {
    if (overwritten()) {
      return new SnapshotOverwrittenException(path, meta.transaction());
    }
    return new DamagedDatabaseException(path, at >>> shift, at, what);
  }

  /**
   * What to throw when bytes could not be read: a fault of the mapping (the file became shorter, or
   * its storage failed), or an offset that was good when checked and is not any more (a writer has
   * overwritten the page in between).
   */
  public RuntimeException unreadable(Throwable fault) {
    try {
      ensureIntact();
    } catch (SnapshotOverwrittenException e) {
      return e;
    } catch (InternalError e) {
      fault.addSuppressed(e);
    }
    return new DamagedDatabaseException(
        path,
        pagesInFile,
        pagesInFile << shift,
        fault instanceof InternalError
            ? "the file became shorter while it was read, or its storage failed"
            : "the file changed while it was read",
        fault);
  }

  /** As {@link #ensureIntact()}, for work that does without the mapping. */
  public void ensureIntactInFile() {
    long at = (long) meta.page() * meta.pageSize();
    if (!pinned && Meta.transaction(path, channel, at) != meta.transaction()) {
      throw new SnapshotOverwrittenException(path, meta.transaction());
    }
  }

  /** Throws if what was read before this call may not be of this state. */
  public void ensureIntact() {
    if (overwritten()) {
      throw new SnapshotOverwrittenException(path, meta.transaction());
    }
  }

  private boolean overwritten() {
    if (pinned) {
      return false;
    }
    VarHandle.loadLoadFence();
    int at = meta.page() * meta.pageSize();
    return file.window(0).getLong(at + PageFormat.META_TXN_ID) != meta.transaction();
  }
}
