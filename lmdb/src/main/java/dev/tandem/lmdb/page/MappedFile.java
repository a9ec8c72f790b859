package dev.tandem.lmdb.page;

import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * A read-only mapping of a whole file as long as it was when this was made, never longer: touching
 * it cannot leave the file unless someone truncates the file afterwards.
 *
 * <p>Mapped at the first touch, since much work (loading or building an index) needs none. Counted:
 * whoever holds it releases it once, the last one unmaps. Any thread may read.
 */
public final class MappedFile {

  /** Windows are a power of two, so no page (a smaller power of two) lies across two of them. */
  private static final int WINDOW_SHIFT = 30;

  private final Path path;
  private final FileChannel channel;
  private final long size;
  private int holders = 1;
  private Arena arena;
  private volatile Mapping mapping;

  /** The bytes, whole and in windows that a buffer can hold. */
  private static final class Mapping {
    private final MemorySegment bytes;
    private final ByteBuffer[] windows;

    Mapping(MemorySegment bytes) {
      this.bytes = bytes;
      int count = (int) ((bytes.byteSize() + (1L << WINDOW_SHIFT) - 1) >>> WINDOW_SHIFT);
      this.windows = new ByteBuffer[count];
      for (int i = 0; i < count; i++) {
        long from = (long) i << WINDOW_SHIFT;
        long length = Math.min(1L << WINDOW_SHIFT, bytes.byteSize() - from);
        windows[i] = bytes.asSlice(from, length).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
      }
    }
  }

  public MappedFile(Path path, FileChannel channel, long size) {
    this.path = path;
    this.channel = channel;
    this.size = size;
  }

  public long size() {
    return size;
  }

  /** The window that holds this byte of the file. */
  ByteBuffer window(long position) {
    return mapping().windows[(int) (position >>> WINDOW_SHIFT)];
  }

  /** Where in its window this byte of the file is. */
  static int inWindow(long position) {
    return (int) (position & ((1L << WINDOW_SHIFT) - 1));
  }

  MemorySegment slice(long position, long length) {
    return mapping().bytes.asSlice(position, length);
  }

  private Mapping mapping() {
    Mapping known = mapping;
    return known != null ? known : map();
  }

  private synchronized Mapping map() {
    if (mapping == null) {
      if (holders == 0) {
        throw new IllegalStateException("the environment of " + path + " is closed");
      }
      arena = Arena.ofShared();
      try {
        mapping = new Mapping(channel.map(FileChannel.MapMode.READ_ONLY, 0, size, arena));
      } catch (IOException e) {
        throw FileErrors.failure("map", path, e);
      }
    }
    return mapping;
  }

  public synchronized void retain() {
    holders++;
  }

  public synchronized void release() {
    if (--holders == 0 && arena != null) {
      arena.close();
    }
  }
}
