package dev.tandem.lmdb.write;

import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.posix.DurableFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Gathers writes that follow one another in the file into few large ones. Pages of the running
 * transaction may be written at any time, because nothing refers to them before the meta page does.
 */
final class StagedWrites {

  private static final int CAPACITY = 1 << 20;

  /** Smaller writes are better left to the force. */
  private static final int WORTH_STARTING = 1 << 16;

  private final DurableFile file;
  private final boolean sync;
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(CAPACITY).order(ByteOrder.LITTLE_ENDIAN);
  private final byte[] zeros = new byte[PageFormat.MAX_PAGE_SIZE];
  private long start;

  /**
   * Writes to a file.
   *
   * @param sync the writes will be forced, so the disk had better begin at once
   */
  StagedWrites(DurableFile file, boolean sync) {
    this.file = file;
    this.sync = sync;
  }

  /** Says where the next bytes go. */
  void seek(long position) {
    if (position != start + buffer.position()) {
      flush();
      start = position;
    }
  }

  /** Header of an overflow run: u64 page number, u16 pad, u16 flags, u32 pages. */
  void overflowHeader(long page, long pages) {
    if (buffer.remaining() < PageFormat.PAGE_HEADER) {
      flush();
    }
    buffer.putLong(page);
    buffer.putShort((short) 0);
    buffer.putShort((short) PageFormat.OVERFLOW);
    buffer.putInt((int) pages);
  }

  /** Takes all that remains in {@code source}, leaving its position alone. */
  void put(ByteBuffer source) {
    int from = source.position();
    int length = source.remaining();
    while (length > 0) {
      if (!buffer.hasRemaining()) {
        flush();
      }
      int part = Math.min(length, buffer.remaining());
      buffer.put(buffer.position(), source, from, part);
      buffer.position(buffer.position() + part);
      from += part;
      length -= part;
    }
  }

  /** Takes a page as it is in memory. */
  void put(NodePage page) {
    int size = page.bytes.capacity();
    if (buffer.remaining() < size) {
      flush();
    }
    buffer.put(buffer.position(), page.bytes, 0, size);
    buffer.position(buffer.position() + size);
  }

  void zeros(int count) {
    for (int left = count; left > 0; ) {
      if (!buffer.hasRemaining()) {
        flush();
      }
      int part = Math.min(left, Math.min(zeros.length, buffer.remaining()));
      buffer.put(zeros, 0, part);
      left -= part;
    }
  }

  /** Hands everything to the file. */
  void flush() {
    int length = buffer.position();
    if (length > 0) {
      buffer.flip();
      try {
        file.write(buffer, start);
      } finally {
        buffer.clear();
      }
      if (sync && length >= WORTH_STARTING) {
        file.startWriting(start, length);
      }
      start += length;
    }
  }

  /** Forgets what was not written. */
  void discard() {
    buffer.clear();
    start = 0;
  }
}
