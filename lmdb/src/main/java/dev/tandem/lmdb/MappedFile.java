package dev.tandem.lmdb;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A read-only mapping of a whole file as long as it was when mapped, never longer: touching it
 * cannot leave the file unless someone truncates the file afterwards.
 *
 * <p>Counted: whoever holds it releases it once, the last one unmaps. Any thread may read.
 */
final class MappedFile {

  /** Windows are a power of two, so no page (a smaller power of two) lies across two of them. */
  static final int WINDOW_SHIFT = 30;

  private final Arena arena;
  private final MemorySegment bytes;
  private final ByteBuffer[] windows;
  private final AtomicInteger holders = new AtomicInteger(1);

  private MappedFile(Arena arena, MemorySegment bytes) {
    this.arena = arena;
    this.bytes = bytes;
    int count = (int) ((bytes.byteSize() + (1L << WINDOW_SHIFT) - 1) >>> WINDOW_SHIFT);
    this.windows = new ByteBuffer[count];
    for (int i = 0; i < count; i++) {
      long from = (long) i << WINDOW_SHIFT;
      long length = Math.min(1L << WINDOW_SHIFT, bytes.byteSize() - from);
      windows[i] = bytes.asSlice(from, length).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  static MappedFile map(FileChannel channel, long size) throws IOException {
    Arena arena = Arena.ofShared();
    try {
      return new MappedFile(arena, channel.map(FileChannel.MapMode.READ_ONLY, 0, size, arena));
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  long size() {
    return bytes.byteSize();
  }

  /** The window that holds this byte of the file. */
  ByteBuffer window(long position) {
    return windows[(int) (position >>> WINDOW_SHIFT)];
  }

  /** Where in its window this byte of the file is. */
  static int inWindow(long position) {
    return (int) (position & ((1L << WINDOW_SHIFT) - 1));
  }

  MemorySegment slice(long position, long length) {
    return bytes.asSlice(position, length);
  }

  /** One more holder, or false if the last one is gone already. */
  boolean retain() {
    int now;
    do {
      now = holders.get();
      if (now == 0) {
        return false;
      }
    } while (!holders.compareAndSet(now, now + 1));
    return true;
  }

  void release() {
    if (holders.decrementAndGet() == 0) {
      arena.close();
    }
  }
}
