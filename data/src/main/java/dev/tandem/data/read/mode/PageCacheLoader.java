package dev.tandem.data.read.mode;

import dev.tandem.posix.PositionalFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Brings a whole file into the page cache, front to back, in large requests, several at once. The
 * processes of a host share the work and what is known of its progress. Threads of its own read;
 * any thread may ask. Closing ends them after their present requests.
 */
public final class PageCacheLoader implements AutoCloseable {

  private static final int BLOCK = 4 << 20;
  private static final int THREADS = 4;
  private static final long NAP = TimeUnit.MICROSECONDS.toNanos(200);
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

  private final Path file;
  private final long size;

  /** How many blocks are taken, then a byte per block: 1 when it is in memory. */
  private final MemorySegment progress;

  private final Thread[] threads;
  private volatile boolean complete;
  private volatile boolean closed;
  private volatile Throwable failure;

  /**
   * Begins; all processes of a host call this together.
   *
   * @param host those that have the same page cache
   */
  public PageCacheLoader(Path file, Peers host) {
    this.file = file;
    try (PositionalFile opened = PositionalFile.openCached(file)) {
      this.size = opened.size();
    }
    long bytes = Long.BYTES + blocks();
    this.progress = GroupMemory.map(host, bytes, 0);
    this.threads = new Thread[Math.ceilDiv(THREADS, host.size())];
    for (int i = 0; i < threads.length; i++) {
      threads[i] = Thread.ofPlatform().daemon().name("tandem-page-cache-" + i).start(this::load);
    }
  }

  private long blocks() {
    return Math.ceilDiv(size, (long) BLOCK);
  }

  private void load() {
    try (PositionalFile own = PositionalFile.openCached(file)) {
      ByteBuffer buffer = ByteBuffer.allocateDirect((int) Math.min(BLOCK, Math.max(1, size)));
      while (!closed) {
        long block = (long) LONG.getAndAdd(progress, 0L, 1L);
        if (block >= blocks()) {
          return;
        }
        try {
          own.read(buffer.clear(), block * BLOCK, 0);
        } finally {
          // Whatever went wrong, a process that waits for the block finds out by its own mapping.
          BYTE.setRelease(progress, Long.BYTES + block, (byte) 1);
        }
      }
    } catch (Throwable e) {
      failure = e;
    }
  }

  /** These bytes of the file have been brought into memory. */
  public boolean has(long position, long length) {
    if (complete) {
      return true;
    }
    long last = (position + Math.max(1, length) - 1) / BLOCK;
    for (long block = position / BLOCK; block <= last; block++) {
      if ((byte) BYTE.getAcquire(progress, Long.BYTES + block) == 0) {
        return false;
      }
    }
    return true;
  }

  /** The whole file has been brought into memory. */
  public boolean complete() {
    complete = complete || has(0, size);
    return complete;
  }

  /** Waits until these bytes are in memory, or nothing brings them any more. */
  public void await(long position, long length) {
    while (!has(position, length) && failure == null && !closed) {
      LockSupport.parkNanos(NAP);
    }
  }

  @Override
  public void close() {
    closed = true;
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
