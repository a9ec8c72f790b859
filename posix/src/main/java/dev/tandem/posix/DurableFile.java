package dev.tandem.posix;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A file whose writer decides when its bytes are safe. What {@link #force()} has returned for
 * survives a power loss; what was written since may be lost, torn or reordered.
 *
 * <p>Positions are explicit, so reads and writes may come from any thread. Every failure is a
 * {@link dev.tandem.core.WorkFailedException} that names the file.
 */
public interface DurableFile extends AutoCloseable {

  Path path();

  long size();

  /**
   * Reads from {@code position} until {@code target} is full or the file ends.
   *
   * @return bytes read; fewer than asked only at the end of the file
   */
  int read(ByteBuffer target, long position);

  /** Writes all of {@code source} at {@code position}, growing the file if needed. */
  void write(ByteBuffer source, long position);

  /** Makes the file exactly this long; new bytes are zero. */
  void truncate(long size);

  /** Returns when everything written so far is on stable storage. */
  void force();

  /**
   * As {@link #force()}, but may leave out what is not needed to read the bytes back, such as
   * times.
   */
  default void forceData() {
    force();
  }

  /**
   * Asks for these bytes to be on their way to the disk while the caller does something else, so
   * that a later force is short. A hint that promises nothing. Drops POSIX record locks of this
   * process on the file when the file is closed.
   */
  default void startWriting(long position, long length) {}

  /**
   * Says how many bytes will be written, so that the file gets room for all of them at once and
   * writes need not wait for each other. A hint; the file may be as long as that from now on. As
   * for record locks, see {@link #startWriting}.
   */
  default void reserve(long bytes) {}

  @Override
  void close();
}
