package dev.tandem.lmdb;

import dev.tandem.core.Progress;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reads many scattered pages as fast as the storage gives them: in the order of the file,
 * neighbours in one read, many reads under way at once. Plain positional reads by a few threads:
 * they take what the page cache has, and faulting a mapping in would read megabytes around each
 * page.
 */
final class PageScan {

  /** Reads under way at once. */
  private static final int THREADS = 16;

  /** Pages that it is cheaper to read along than to skip. */
  private static final int MAX_GAP = 2;

  private static final int BUFFER = 1 << 17;

  /** Reads that a thread takes at a time, so that the file is read in order. */
  private static final int SHARE = 4;

  /**
   * Looks at one page, whose buffer is an array; several threads call it, each with its own worker
   * number and view.
   */
  @FunctionalInterface
  interface Visitor {
    void visit(int worker, int index, PageView page);
  }

  private final Pages pages;

  PageScan(Pages pages) {
    this.pages = pages;
  }

  /** How many worker numbers there are. */
  static int workers(int count) {
    return Math.clamp(count / 4, 1, THREADS);
  }

  /** Visits all pages of one level of a tree, in no particular order. */
  void visit(PageList list, boolean branch, Progress.Task task, Visitor visitor) {
    for (int i = 0; i < list.size(); i++) {
      pages.checkPage(list.page(i), list.from(i));
    }
    Work work = new Work(list, branch, task, visitor);
    List<Reader> readers = new ArrayList<>();
    for (int i = 0; i < workers(list.size()); i++) {
      readers.add(new Reader(work, i));
    }
    if (readers.size() == 1) {
      readers.getFirst().takeReads();
    } else {
      for (Reader reader : readers) {
        reader.start();
      }
      for (Reader reader : readers) {
        join(reader);
      }
    }
    rethrow(work.failure);
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while reading pages", e);
    }
  }

  /** What the readers of one level share. */
  private final class Work {
    private final PageList list;
    private final boolean branch;
    private final Progress.Task task;
    private final Visitor visitor;
    private final long[] order;
    private final int[] reads;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private volatile Throwable failure;

    Work(PageList list, boolean branch, Progress.Task task, Visitor visitor) {
      this.list = list;
      this.branch = branch;
      this.task = task;
      this.visitor = visitor;
      this.order = fileOrder(list);
      this.reads = reads(order, list);
    }
  }

  private final class Reader extends Thread {

    private final Work work;
    private final int worker;
    private final PageView view = new PageView(pages);
    private final ByteBuffer buffer =
        ByteBuffer.allocate(Math.max(BUFFER, pages.pageSize())).order(ByteOrder.LITTLE_ENDIAN);

    Reader(Work work, int worker) {
      super("tandem-lmdb-scan-".concat(Integer.toString(worker)));
      setDaemon(true);
      this.work = work;
      this.worker = worker;
    }

    @Override
    public void run() {
      takeReads();
    }

    void takeReads() {
      try {
        int from = work.next.getAndAdd(SHARE);
        while (from < work.reads.length && work.failure == null) {
          for (int i = from; i < Math.min(from + SHARE, work.reads.length); i++) {
            read(i);
          }
          from = work.next.getAndAdd(SHARE);
        }
      } catch (Throwable e) {
        work.failure = e;
      }
    }

    private void read(int number) {
      int from = work.reads[number];
      int to = number + 1 < work.reads.length ? work.reads[number + 1] : work.order.length;
      long base = work.list.page((int) work.order[from]);
      long end = work.list.page((int) work.order[to - 1]) + 1;
      fill(buffer.clear().limit((int) (end - base) * pages.pageSize()), pages.position(base));
      for (int k = from; k < to; k++) {
        int index = (int) work.order[k];
        long page = work.list.page(index);
        view.load(page, buffer, (int) (page - base) * pages.pageSize(), work.branch, -1);
        work.visitor.visit(worker, index, view);
      }
      work.task.advanceTo(work.done.addAndGet(to - from));
    }
  }

  private void rethrow(Throwable failure) {
    if (failure instanceof InternalError || failure instanceof IndexOutOfBoundsException) {
      throw pages.unreadable(failure);
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
  }

  /** Indexes into the list, in the order of the pages' numbers. */
  private long[] fileOrder(PageList list) {
    long[] order = new long[list.size()];
    boolean small = pages.pagesInFile() <= 1L << 31;
    for (int i = 0; i < order.length; i++) {
      order[i] = small ? list.page(i) << 32 | i : i;
    }
    if (small) {
      Arrays.sort(order);
      for (int i = 0; i < order.length; i++) {
        order[i] &= 0xFFFF_FFFFL;
      }
    }
    return order;
  }

  /** Where in the order each read begins. */
  private int[] reads(long[] order, PageList list) {
    int[] starts = new int[order.length];
    int count = 0;
    int limit = Math.max(1, BUFFER / pages.pageSize());
    long base = 0;
    long last = Long.MIN_VALUE;
    for (int i = 0; i < order.length; i++) {
      long page = list.page((int) order[i]);
      boolean near = last >= 0 && page >= last && page - last <= MAX_GAP + 1;
      if (!near || page - base >= limit) {
        starts[count++] = i;
        base = page;
      }
      last = page;
    }
    return Arrays.copyOf(starts, count);
  }

  private void fill(ByteBuffer buffer, long position) {
    try {
      while (buffer.hasRemaining()) {
        if (pages.channel().read(buffer, position + buffer.position()) < 0) {
          throw pages.damaged(position, "the file became shorter while it was read");
        }
      }
    } catch (IOException e) {
      throw FileErrors.failure("read", pages.path(), e);
    }
  }
}
