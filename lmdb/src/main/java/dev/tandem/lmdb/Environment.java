package dev.tandem.lmdb;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * An LMDB 0.9 environment, open for reading; liblmdb is not needed, and others may write to it
 * meanwhile. Any thread may use it. Close its snapshots first, then the environment.
 */
public final class Environment implements AutoCloseable {

  private static final String DATA_FILE = "data.mdb";

  private final Path file;
  private final FileChannel channel;

  /** The newest mapping; older ones live on as long as their snapshots. */
  private MappedFile mapped;

  private boolean closed;

  private Environment(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Opens an environment.
   *
   * @param path its folder, or the data file itself
   */
  public static Environment open(Path path) {
    Path file = dataFile(path);
    Environment environment;
    try {
      environment = new Environment(file, FileChannel.open(file, StandardOpenOption.READ));
    } catch (IOException e) {
      throw FileErrors.failure("open", file, e);
    }
    try {
      environment.checkHeader();
    } catch (RuntimeException e) {
      environment.close();
      throw e;
    }
    return environment;
  }

  /** The data file of an environment that is given by its folder or by that file. */
  public static Path dataFile(Path path) {
    return Files.isDirectory(path) ? path.resolve(DATA_FILE) : path;
  }

  /** The data file. */
  public Path file() {
    return file;
  }

  /** The newest committed state. */
  public synchronized Snapshot snapshot() {
    if (closed) {
      throw new IllegalStateException("the environment of " + file + " is closed");
    }
    try {
      long size = checkedSize();
      if (mapped == null || mapped.size() != size) {
        MappedFile newer = MappedFile.map(channel, size);
        if (mapped != null) {
          mapped.release();
        }
        mapped = newer;
      }
      MappedFile held = mapped;
      Meta meta = Meta.newest(file, held.window(0), size);
      held.retain();
      return new Snapshot(new Pages(file, held, meta, false), held::release);
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    } catch (InternalError e) {
      throw new DamagedDatabaseException(file, 0, 0, "the file became shorter while read", e);
    }
  }

  /** Finds out early, and without a mapping, whether this is a database at all. */
  private void checkHeader() {
    try {
      long size = checkedSize();
      int length = (int) Math.min(size, PageFormat.MAX_PAGE_SIZE + PageFormat.META_END);
      ByteBuffer start = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
      while (start.hasRemaining() && channel.read(start, start.position()) > 0) {}
      Meta.newest(file, start, start.position());
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  private long checkedSize() throws IOException {
    if (Files.isDirectory(file)) {
      throw new WorkFailedException("cannot open " + file + ": it is a folder");
    }
    long size = channel.size();
    if (size < PageFormat.META_END) {
      throw new DamagedDatabaseException(
          file, 0, size, "the file is " + size + " bytes long; it is no LMDB database");
    }
    return size;
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (mapped != null) {
      mapped.release();
    }
    try {
      channel.close();
    } catch (IOException e) {
      throw FileErrors.failure("close", file, e);
    }
  }
}
