package dev.tandem.lmdb;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * An LMDB 0.9 environment, open for reading; liblmdb is not needed, and others may write to it
 * meanwhile. Any thread may use it. Close its snapshots first, then the environment.
 */
public final class Environment implements AutoCloseable {

  static final String DATA_FILE = "data.mdb";

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
    if (Files.isDirectory(file)) {
      throw new WorkFailedException("cannot open " + file + ": it is a folder");
    }
    Environment environment;
    try {
      environment = new Environment(file, FileChannel.open(file, StandardOpenOption.READ));
    } catch (IOException e) {
      throw FileErrors.failure("open", file, e);
    }
    try {
      // Finds out early whether this is a database at all.
      Meta.newest(file, environment.channel);
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
    Meta meta = Meta.newest(file, channel);
    long size;
    try {
      size = channel.size();
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
    if (mapped == null || mapped.size() != size) {
      if (mapped != null) {
        mapped.release();
      }
      mapped = new MappedFile(file, channel, size);
    }
    mapped.retain();
    return new Snapshot(new Pages(file, channel, mapped, meta, false));
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
