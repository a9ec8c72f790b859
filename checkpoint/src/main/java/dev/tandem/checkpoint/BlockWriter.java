package dev.tandem.checkpoint;

import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.HugeMemory;
import dev.tandem.posix.ThreadPriority;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes a file from its beginning to its end in large aligned blocks, past the page cache where
 * the system can, with several writes under way while the caller prepares what comes next.
 *
 * <p>Memory that lies as the file wants it (native, at a multiple of {@link DurableFiles#BLOCK}) is
 * written from where it is, and the caller need not wait for any of these writes before {@link
 * #finish}; other memory is copied into blocks first, of which there are only a few. One thread
 * calls; others write, at low priority.
 */
final class BlockWriter implements AutoCloseable {

  static final int CHUNK = CheckpointOptions.BLOCK_BYTES;

  /** Threads; further writes wait until it is their turn. */
  private static final int UNDER_WAY = CheckpointOptions.QUEUE_DEPTH;

  /** Longer than most pauses between checkpoints that are written often. */
  private static final long IDLE_SECONDS = 60;

  private final DurableFile file;
  private final long bytesPerSecond;
  private final int chunk;
  private final Executor threads;
  private final Semaphore done = new Semaphore(0);
  private final BlockingQueue<ByteBuffer> free = new ArrayBlockingQueue<>(UNDER_WAY + 1);
  private final long began = System.nanoTime();
  private int blocks;
  private int started;
  private ByteBuffer current;
  private long at;
  private long written;
  private boolean finished;
  private volatile RuntimeException failure;

  /**
   * Begins a file again.
   *
   * @param file closed with this writer, or if it cannot be begun
   * @param threads that write; see {@link #threads}
   * @param headerBytes left free at its beginning, a multiple of {@link DurableFiles#BLOCK}
   * @param dataBytes that will come about, for which there is room then; more take more blocks
   * @param bytesPerSecond not to be exceeded
   */
  BlockWriter(
      DurableFile file, Executor threads, long headerBytes, long dataBytes, long bytesPerSecond) {
    this.file = file;
    this.at = headerBytes;
    this.bytesPerSecond = bytesPerSecond;
    long blocksOfData = Math.ceilDiv(Math.min(CHUNK, dataBytes), DurableFiles.BLOCK);
    this.chunk = (int) Math.max(1, blocksOfData) * DurableFiles.BLOCK;
    this.threads = threads;
    try {
      file.truncate(0);
      file.reserve(headerBytes + dataBytes);
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** Threads for files that are written one after the other; they end when nothing is written. */
  static Executor threads() {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            UNDER_WAY,
            UNDER_WAY,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("checkpoint-blocks-", 0).factory());
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /** Where the next byte will be in the file. */
  long position() {
    return at + (current == null ? 0 : current.position());
  }

  /** Appends this memory, which is borrowed until {@link #finish}. */
  void append(MemorySegment data) {
    long from = 0;
    while (from < data.byteSize()) {
      long left = data.byteSize() - from;
      boolean aligned = data.isNative() && (data.address() + from) % DurableFiles.BLOCK == 0;
      if (isEmpty() && aligned && left >= DurableFiles.BLOCK) {
        long length = Math.min(CHUNK, left / DurableFiles.BLOCK * DurableFiles.BLOCK);
        write(data.asSlice(from, length).asByteBuffer(), null);
        from += length;
      } else {
        ByteBuffer block = block();
        int length = (int) Math.min(left, block.remaining());
        MemorySegment.copy(data, from, MemorySegment.ofBuffer(block), 0, length);
        block.position(block.position() + length);
        from += length;
        flushFull();
      }
    }
  }

  private boolean isEmpty() {
    return current == null || current.position() == 0;
  }

  private ByteBuffer block() {
    if (current == null) {
      if (blocks <= UNDER_WAY) {
        blocks++;
        current = HugeMemory.allocate(chunk);
      } else {
        current = Uninterrupted.take(free::take);
        current.clear();
      }
    }
    return current;
  }

  private void flushFull() {
    if (!current.hasRemaining()) {
      ByteBuffer full = current.flip();
      current = null;
      write(full, full);
    }
  }

  private void write(ByteBuffer data, ByteBuffer giveBack) {
    long position = at;
    at += data.remaining();
    written += data.remaining();
    pace();
    started++;
    threads.execute(
        () -> {
          try {
            ThreadPriority.lower();
            if (failure == null) {
              file.write(data.duplicate(), position);
            }
          } catch (RuntimeException e) {
            failure = e;
          } finally {
            if (giveBack != null) {
              free.add(giveBack);
            }
            done.release();
          }
        });
    if (failure != null) {
      throw failure;
    }
  }

  private void pace() {
    long due = began + (long) (written * 1e9 / bytesPerSecond);
    for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
      LockSupport.parkNanos(wait);
    }
  }

  /** Writes the header into the place that was left free for it. */
  void header(byte[] header) {
    ByteBuffer first = ByteBuffer.allocateDirect(header.length + DurableFiles.BLOCK);
    first = first.alignedSlice(DurableFiles.BLOCK).limit(header.length).put(header).flip();
    long data = at;
    at = 0;
    write(first, null);
    at = data;
  }

  /**
   * Writes the rest and returns when all is on the disk.
   *
   * @param length of the file; what was appended beyond only filled the last block
   */
  void finish(long length) {
    if (!isEmpty()) {
      // Whole blocks only; what is too much is cut off again.
      while (current.position() % DurableFiles.BLOCK != 0) {
        current.put((byte) 0);
      }
      ByteBuffer last = current.flip();
      current = null;
      write(last, last);
    }
    awaitWrites();
    if (failure != null) {
      throw failure;
    }
    file.truncate(length);
    file.force();
  }

  private void awaitWrites() {
    finished = true;
    Uninterrupted.run(() -> done.acquire(started));
  }

  /** Nothing is being written when this returns, and the file is closed. */
  @Override
  public void close() {
    if (!finished) {
      awaitWrites();
    }
    file.close();
  }
}
