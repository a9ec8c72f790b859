package dev.tandem.posix;

import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A file read at given positions, by any number of threads at once, through the page cache or past
 * it (O_DIRECT). Past it, the kernel copies and keeps nothing, and the storage sees as many
 * requests at once as threads read; positions, lengths and buffer addresses are then multiples of
 * {@link #alignment()}.
 *
 * <p>Plain channel calls: in a new JVM the first foreign call takes longer than reading 100 MB.
 */
public final class PositionalFile implements AutoCloseable {

  /** What memory pages and the blocks of nearly all file systems are aligned to. */
  private static final int ALIGNMENT = 4096;

  private final Path path;
  private final FileChannel channel;
  private final boolean direct;

  private PositionalFile(Path path, FileChannel channel, boolean direct) {
    this.path = path;
    this.channel = channel;
    this.direct = direct;
  }

  /** Opens a file for reads through the page cache. */
  public static PositionalFile openCached(Path path) {
    try {
      FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
      return new PositionalFile(path, channel, false);
    } catch (IOException e) {
      throw FileErrors.failure("open", path, e);
    }
  }

  /**
   * Opens a file for reads past the page cache; through it where the file system knows no such
   * reads or has larger blocks than memory has pages, which {@link #direct()} tells.
   */
  public static PositionalFile openDirect(Path path) {
    try {
      if (Files.getFileStore(path).getBlockSize() > ALIGNMENT) {
        return openCached(path);
      }
      FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, directOption());
      return new PositionalFile(path, channel, true);
    } catch (IOException | UnsupportedOperationException e) {
      return openCached(path);
    }
  }

  /**
   * The same file, opened once more in the same way. Threads that read single pages do so faster
   * with one each: a channel keeps a list of its readers, under a lock.
   */
  public PositionalFile again() {
    try {
      FileChannel another =
          direct
              ? FileChannel.open(path, StandardOpenOption.READ, directOption())
              : FileChannel.open(path, StandardOpenOption.READ);
      return new PositionalFile(path, another, direct);
    } catch (IOException e) {
      throw FileErrors.failure("open", path, e);
    }
  }

  /**
   * The kernel's queue for the same file, for the calling thread; nothing where there is none, or
   * where reads do not go past the page cache.
   *
   * @param depth requests that may be under way
   */
  public Optional<IoUring> queue(int depth) {
    return direct ? IoUring.open(path, depth) : Optional.empty();
  }

  /** The JDK's own option, by name: javac warns of every other use of it, without remedy. */
  static OpenOption directOption() {
    try {
      for (Object option :
          Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
        if (option.toString().equals("DIRECT")) {
          return (OpenOption) option;
        }
      }
    } catch (ClassNotFoundException e) {
      throw new UnsupportedOperationException(
          "this JDK reads and writes through the page cache only", e);
    }
    throw new UnsupportedOperationException(
        "this JDK reads and writes through the page cache only");
  }

  /** Reads go past the page cache. */
  public boolean direct() {
    return direct;
  }

  /** What positions, lengths and addresses must be multiples of; a power of two. */
  public int alignment() {
    return ALIGNMENT;
  }

  /** Bytes of the file. */
  public long size() {
    try {
      return channel.size();
    } catch (IOException e) {
      throw FileErrors.failure("read the size of", path, e);
    }
  }

  /**
   * Fills the buffer from its position to its limit with the bytes of the file from {@code
   * position} on; at the end of the file it may stay unfilled.
   *
   * @param needed bytes that must be there
   */
  public void read(ByteBuffer target, long position, int needed) {
    int begun = target.position();
    try {
      while (target.hasRemaining()) {
        int count = channel.read(target, position + target.position() - begun);
        // Past the page cache only the read that reaches the end of the file is unaligned.
        if (count < 0 || (direct && (count & (ALIGNMENT - 1)) != 0)) {
          break;
        }
      }
    } catch (IOException e) {
      throw FileErrors.failure("read", path, e);
    }
    if (target.position() - begun < needed) {
      throw new WorkFailedException(
          "cannot read %s: it ends at byte %d, before what its index promises; it was cut off"
              .formatted(path, position + target.position() - begun));
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw FileErrors.failure("close", path, e);
    }
  }
}
