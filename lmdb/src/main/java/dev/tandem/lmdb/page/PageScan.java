package dev.tandem.lmdb.page;

import dev.tandem.core.Progress;
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
public final class PageScan {

  /** Reads under way at once. */
  private static final int THREADS = 16;

  /** Pages that it is cheaper to read along than to skip. */
  private static final int MAX_GAP = 2;

  private static final int BUFFER = 1 << 15;

  /** Reads that a thread takes at a time, so that the file is read in order. */
  private static final int SHARE = 4;

  /**
   * Looks at one page, whose buffer is an array; several threads call it, each with its own worker
   * number and view.
   */
  @FunctionalInterface
  public interface Visitor {
    void visit(int worker, int index, PageView page);
  }

  private final Pages pages;

  public PageScan(Pages pages) {
    this.pages = pages;
  }

  /** How many worker numbers there are: few pages are read before the threads have started. */
  public static int workers(int count) {
    return Math.clamp(count / 32, 1, THREADS);
  }

  /** Visits all pages of one level of a tree, in no particular order. */
  public void visit(PageList list, boolean branch, Progress.Task task, Visitor visitor) {
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

  /** The children of each branch page of one level of a tree, in order. */
  public PageList[] children(PageList level) {
    Children visitor = new Children(level.size());
    visit(level, true, Progress.SILENT.start("", 0, ""), visitor);
    return visitor.lists;
  }

  // A named class instead of a lambda, which takes a new JVM longer to make than to read branches.
  private static final class Children implements Visitor {

    private final PageList[] lists;

    Children(int pages) {
      this.lists = new PageList[pages];
    }

    @Override
    public void visit(int worker, int index, PageView page) {
      PageList list = new PageList();
      for (int i = 0; i < page.count(); i++) {
        list.add(page.child(i), page.filePosition(page.node(i)));
      }
      lists[index] = list;
    }
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
    private final boolean branch;
    private final Progress.Task task;
    private final Visitor visitor;

    /** Page numbers as in the list; plain arrays, since a new JVM runs this in the interpreter. */
    private final long[] numbers;

    private final int[] order;
    private final int[] reads;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private volatile Throwable failure;

    Work(PageList list, boolean branch, Progress.Task task, Visitor visitor) {
      this.branch = branch;
      this.task = task;
      this.visitor = visitor;
      this.numbers = list.numbers();
      for (int i = 0; i < numbers.length; i++) {
        if (numbers[i] < PageFormat.META_PAGES || numbers[i] >= pages.pagesInFile()) {
          pages.checkPage(numbers[i], list.from(i));
        }
      }
      this.order = fileOrder(numbers);
      this.reads = reads(order, numbers);
    }
  }

  private final class Reader extends Thread {

    private final Work work;
    private final int worker;
    private final PageView view = new PageView(pages);
    private final ByteBuffer target = ByteBuffer.allocateDirect(Math.max(BUFFER, pages.pageSize()));
    private final byte[] bytes = new byte[target.capacity()];
    private final ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);

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
      long base = work.numbers[work.order[from]];
      long end = work.numbers[work.order[to - 1]] + 1;
      int length = (int) (end - base) * pages.pageSize();
      pages.fill(target.clear().limit(length), pages.position(base));
      target.get(0, bytes, 0, length);
      // One thread at a time looks at pages while the others read: that is fast enough for any
      // storage, and in a new JVM it leaves a core to the compiler, without which all are slow.
      synchronized (work) {
        for (int k = from; k < to; k++) {
          int index = work.order[k];
          long page = work.numbers[index];
          view.load(page, buffer, (int) (page - base) * pages.pageSize(), work.branch, -1);
          work.visitor.visit(worker, index, view);
        }
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

  /** Indexes of the pages in the order of their numbers; nearly is good enough. */
  private int[] fileOrder(long[] numbers) {
    int[] order = new int[numbers.length];
    int descents = 0;
    for (int i = 1; i < order.length; i++) {
      order[i] = i;
      if (numbers[i] < numbers[i - 1]) {
        descents++;
      }
    }
    boolean numbersFit = pages.pagesInFile() <= 1L << 31;
    if (descents > order.length / 8 && numbersFit) {
      long[] sorted = new long[numbers.length];
      for (int i = 0; i < sorted.length; i++) {
        sorted[i] = numbers[i] << 32 | i;
      }
      Arrays.sort(sorted);
      for (int i = 0; i < sorted.length; i++) {
        order[i] = (int) sorted[i];
      }
    }
    return order;
  }

  /** Where in the order each read begins. */
  private int[] reads(int[] order, long[] numbers) {
    int[] starts = new int[order.length];
    int count = 0;
    int limit = Math.max(1, BUFFER / pages.pageSize());
    long base = 0;
    long last = -1;
    for (int i = 0; i < order.length; i++) {
      long page = numbers[order[i]];
      boolean near = last >= 0 && page >= last && page - last <= MAX_GAP + 1;
      if (!near || page - base >= limit) {
        starts[count++] = i;
        base = page;
      }
      last = page;
    }
    return Arrays.copyOf(starts, count);
  }
}
