package dev.tandem.checkpoint;

import dev.tandem.comm.Communicator;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Copies memory by several threads: while training waits for a snapshot its cores have nothing else
 * to do, and one core alone does not use all of the memory's bandwidth.
 *
 * <p>The calling thread copies as well and takes all that the others have not begun, so a helper
 * that gets no core is not waited for. One caller at a time; closing ends the helpers.
 */
final class CopyThreads implements AutoCloseable {

  /** More do not copy faster: the memory is busy. */
  private static final int MOST_HELPERS = 3;

  /**
   * Larger pieces are cut into parts of this length or up to twice as long. From about here on the
   * JVM copies past the caches, which spares reading the memory that is written over.
   */
  private static final long PART = 5 << 19;

  /** A piece of memory and where its copy goes, equally long. */
  record Copy(MemorySegment from, MemorySegment to) {

    private void run() {
      to.copyFrom(from);
    }

    private void cutInto(List<Copy> parts) {
      long count = Math.max(1, from.byteSize() / PART);
      for (long i = 0; i < count; i++) {
        long begin = i * from.byteSize() / count;
        long length = (i + 1) * from.byteSize() / count - begin;
        parts.add(new Copy(from.asSlice(begin, length), to.asSlice(begin, length)));
      }
    }
  }

  private final int helpers;
  private final ExecutorService threads;

  /** Never started: a thread to which nothing belongs. */
  private final Thread anybody = Thread.ofPlatform().unstarted(() -> {});

  /** With this many threads besides the caller's. */
  CopyThreads(int helpers) {
    this.helpers = helpers;
    // No thread begins before it is needed.
    this.threads =
        Executors.newFixedThreadPool(
            Math.max(1, helpers),
            Thread.ofPlatform().daemon().name("checkpoint-copy-", 0).factory());
  }

  /** With this rank's share of the host's processors. */
  static CopyThreads of(Communicator ranks) {
    int share =
        Runtime.getRuntime().availableProcessors() / ranks.topology().localSize(ranks.rank());
    return new CopyThreads(Math.clamp(share - 1, 0, MOST_HELPERS));
  }

  /** Returns when all is copied. The memory is borrowed until then. */
  void copy(List<Copy> wanted) {
    boolean shared = true;
    List<Copy> parts = new ArrayList<>();
    for (Copy copy : wanted) {
      copy.cutInto(parts);
      // What belongs to the calling thread alone is copied by it alone.
      shared &= isForAll(copy.from) && isForAll(copy.to);
    }
    Work work = new Work(parts);
    for (int i = 0; shared && i < Math.min(helpers, parts.size() - 1); i++) {
      threads.execute(work::help);
    }
    work.help();
    work.await();
  }

  private boolean isForAll(MemorySegment memory) {
    return memory.isAccessibleBy(anybody);
  }

  /** One copy, by any thread. */
  private static final class Work {

    private final List<Copy> parts;
    private final AtomicInteger next = new AtomicInteger();
    private final CountDownLatch left;
    private volatile RuntimeException failure;

    Work(List<Copy> parts) {
      this.parts = parts;
      this.left = new CountDownLatch(parts.size());
    }

    void help() {
      for (int i = next.getAndIncrement(); i < parts.size(); i = next.getAndIncrement()) {
        try {
          parts.get(i).run();
        } catch (RuntimeException e) {
          failure = e;
        } finally {
          left.countDown();
        }
      }
    }

    /** A copy takes milliseconds, so an interrupt takes effect after it. */
    void await() {
      Uninterrupted.run(left::await);
      if (failure != null) {
        throw failure;
      }
    }
  }

  @Override
  public void close() {
    threads.close();
  }
}
