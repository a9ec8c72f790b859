package dev.tandem.lmdb.write;

import dev.tandem.core.TandemException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.posix.DurableFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * The pages as the running transaction sees them. Pages of older transactions are never written;
 * {@link #touch} moves one to a number of this transaction, where it may change.
 *
 * <p>Memory stays bounded: between operations, {@link #settle} writes changed pages to their final
 * places and lets them go when there are many; they come back when asked for.
 */
final class PageSpace {

  private final DurableFile file;
  private final int pageSize;
  private final int pageLimit;
  private final StagedWrites stage;
  private final LongTable<NodePage> pages = new LongTable<>();
  private final LongTable<Boolean> spilled = new LongTable<>();
  private final LongTable<Long> ownedRuns = new LongTable<>();
  private final ArrayDeque<NodePage> pool = new ArrayDeque<>();
  private final ByteBuffer header =
      ByteBuffer.allocateDirect(PageFormat.PAGE_HEADER).order(ByteOrder.LITTLE_ENDIAN);
  private FreePages free;
  private boolean changed;
  private long changes;

  /**
   * Pages of a file.
   *
   * @param sync commits will be forced
   * @param memory bytes to keep between operations
   */
  PageSpace(DurableFile file, int pageSize, boolean sync, long memory) {
    this.file = file;
    this.pageSize = pageSize;
    this.pageLimit = (int) (memory / pageSize);
    this.stage = new StagedWrites(file, sync);
  }

  /** Starts a transaction that takes its page numbers from {@code freePages}. */
  void begin(FreePages freePages) {
    free = freePages;
  }

  /** Forgets everything of the transaction. */
  void end() {
    changes++;
    stage.discard();
    pages.forEach(this::recycle);
    pages.clear();
    spilled.clear();
    ownedRuns.clear();
    changed = false;
  }

  int pageSize() {
    return pageSize;
  }

  /** True if the transaction has something to write. */
  boolean isChanged() {
    return changed;
  }

  /** The page with this number, loaded and checked if it is not in memory. */
  NodePage page(long number) {
    NodePage page = pages.find(number);
    if (page == null) {
      if (number < PageFormat.META_PAGES || number >= free.nextPage()) {
        throw damaged(number, 0, "a tree points to a page that the file does not have");
      }
      boolean owned = spilled.remove(number) != null;
      if (owned) {
        stage.flush();
      }
      page = load(number);
      page.owned = owned;
      pages.put(number, page);
    }
    return page;
  }

  /** A copy of a committed page that nobody else sees; for the free list's own reading. */
  NodePage load(long number) {
    NodePage page = blank();
    page.bytes.clear();
    if (file.read(page.bytes, number * pageSize) < pageSize) {
      throw damaged(number, 0, "the file ends before this page");
    }
    page.loaded(number);
    PageChecks.check(page, number, this);
    return page;
  }

  /** Makes a page of this transaction. */
  NodePage create(int flags) {
    NodePage page = blank();
    page.format(free.allocate(1), flags);
    own(page);
    return page;
  }

  /**
   * Makes the page writable, moving it to a new number if it has to be. The object stays the same;
   * the caller sets the new number in the parent.
   */
  void touch(NodePage page) {
    if (page.owned) {
      page.dirty = true;
      return;
    }
    long old = page.number();
    long fresh = free.allocate(1);
    free.release(old);
    pages.remove(old);
    page.number(fresh);
    own(page);
  }

  private void own(NodePage page) {
    page.owned = true;
    page.dirty = true;
    changed = true;
    pages.put(page.number(), page);
  }

  /** Gives a page back. */
  void release(NodePage page, boolean ofFreeList) {
    pages.remove(page.number());
    if (page.owned && !ofFreeList) {
      free.reuse(page.number());
    } else {
      free.release(page.number());
    }
    recycle(page);
  }

  /** Gives back a page that need not be in memory. */
  void release(long number) {
    NodePage page = pages.find(number);
    if (page != null) {
      release(page, false);
    } else if (spilled.remove(number) != null) {
      free.reuse(number);
    } else {
      free.release(number);
    }
  }

  /** Writes a value to a new overflow run and returns the run's first page. */
  long writeRun(ByteBuffer value, int size) {
    long count = PageFormat.overflowPagesFor(size, pageSize);
    long first = free.allocate((int) count);
    ownedRuns.put(first, count);
    stageRun(first, count, value, size);
    return first;
  }

  /** Writes a value over the one of a run of this transaction. */
  void rewriteRun(long first, ByteBuffer value, int size) {
    stageRun(first, ownedRuns.find(first), value, size);
  }

  private void stageRun(long first, long count, ByteBuffer value, int size) {
    if (value == null) {
      return; // reserved: the bytes follow by rewriteRun before the commit
    }
    stage.seek(first * pageSize);
    stage.overflowHeader(first, count);
    stage.put(value);
    long end = (PageFormat.PAGE_HEADER + (long) size + pageSize - 1) / pageSize * pageSize;
    stage.zeros((int) (end - PageFormat.PAGE_HEADER - size));
  }

  /** True if this transaction wrote the run. */
  boolean ownsRun(long first) {
    return ownedRuns.find(first) != null;
  }

  /** Pages of the run that begins here. */
  long runPages(long first) {
    Long owned = ownedRuns.find(first);
    if (owned != null) {
      return owned;
    }
    header.clear();
    if (first < PageFormat.META_PAGES
        || first >= free.nextPage()
        || file.read(header, first * pageSize) < PageFormat.PAGE_HEADER) {
      throw damaged(first, 0, "a value lies outside the file");
    }
    long count = PageFormat.overflowPages(header, 0);
    if (PageFormat.pageNumber(header, 0) != first
        || (PageFormat.flags(header, 0) & PageFormat.OVERFLOW) == 0
        || count == 0
        || first + count > free.nextPage()) {
      throw damaged(first, 0, "a value's page is no overflow page");
    }
    return count;
  }

  /** Gives a run back and returns how many pages it had. */
  long releaseRun(long first) {
    long count = runPages(first);
    if (ownedRuns.remove(first) != null) {
      free.reuse(first, count);
    } else {
      for (long page = first; page < first + count; page++) {
        free.release(page);
      }
    }
    return count;
  }

  /** The bytes of a run's value. */
  byte[] readRun(long first, long size) {
    stage.flush();
    return readCommittedRun(first, size);
  }

  /** The bytes of a value that the running transaction did not write. */
  byte[] readCommittedRun(long first, long size) {
    // Asked of the file before memory is taken: a damaged size may be anything.
    if (first < PageFormat.META_PAGES
        || first >= free.nextPage()
        || first * pageSize + PageFormat.PAGE_HEADER + size > file.size()) {
      throw damaged(first, 0, "a value of " + size + " bytes lies outside the file");
    }
    byte[] value = new byte[Math.toIntExact(size)];
    if (file.read(ByteBuffer.wrap(value), first * pageSize + PageFormat.PAGE_HEADER) < size) {
      throw damaged(first, 0, "the file ends inside a value");
    }
    return value;
  }

  /** Changes whenever page objects lost their meaning. */
  long changes() {
    return changes;
  }

  /** Between two operations: keeps memory bounded. No page object is valid afterwards. */
  void settle() {
    if (pages.size() <= pageLimit) {
      return;
    }
    changes++;
    writeDirty();
    pages.forEach(
        page -> {
          if (page.owned) {
            spilled.put(page.number(), Boolean.TRUE);
          }
          recycle(page);
        });
    pages.clear();
  }

  /** Writes all that is changed, in the order of the file. */
  void flush() {
    writeDirty();
    stage.flush();
  }

  private void writeDirty() {
    long[] numbers = pages.keys();
    Arrays.sort(numbers);
    for (long number : numbers) {
      NodePage page = pages.find(number);
      if (page.dirty) {
        stage.seek(number * pageSize);
        stage.put(page);
        page.dirty = false;
      }
    }
  }

  /** An unused page in memory. */
  NodePage blank() {
    NodePage page = pool.pollLast();
    return page != null
        ? page
        : new NodePage(ByteBuffer.allocateDirect(pageSize).order(ByteOrder.LITTLE_ENDIAN));
  }

  /** Takes back memory that {@link #blank} gave. */
  void recycle(NodePage page) {
    if (pool.size() < pageLimit) {
      page.owned = false;
      page.dirty = false;
      pool.addLast(page);
    }
  }

  /** The failure to report for a page whose bytes make no sense. */
  WorkFailedException damaged(long page, int offset, String what) {
    return new WorkFailedException(
        file.path()
            + " is damaged at page "
            + page
            + ", offset "
            + (page * pageSize + offset)
            + ": "
            + what);
  }

  /** The failure to report for one that nobody foresaw: pages passed the checks and yet clash. */
  RuntimeException explained(RuntimeException e) {
    return e instanceof TandemException
        ? e
        : new WorkFailedException(file.path() + " is damaged, its pages contradict: " + e, e);
  }
}
