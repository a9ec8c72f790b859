package dev.tandem.lmdb.write;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.page.LockFile;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes an LMDB environment: the folder with {@code data.mdb} and {@code lock.mdb}. What a commit
 * has returned for survives a crash of the machine; a crash at any time leaves the last commit, or
 * the one under way. liblmdb opens the files, reads meanwhile and goes on writing.
 *
 * <p>There is one write transaction at a time among all threads and processes; others wait, as
 * {@link WriterOptions#lockWait} says. The object may be used by several platform threads in turn,
 * a transaction only by the thread that began it.
 */
public final class EnvironmentWriter implements AutoCloseable {

  /** Pages that a transaction keeps in memory take at most so many bytes, about. */
  private static final long MEMORY = 64L << 20;

  private final Path dataPath;
  private final WriterOptions options;
  private final DurableFile file;
  private final LockFile lock;
  private final long memory;
  private PageSpace space;
  private String failure;
  private WriteTransaction current;
  private boolean closed;

  private EnvironmentWriter(
      Path dataPath, WriterOptions options, DurableFile file, LockFile lock, long memory) {
    this.dataPath = dataPath;
    this.memory = memory;
    this.options = options;
    this.file = file;
    this.lock = lock;
  }

  /** Opens the environment in this folder; folder and files are made if missing. */
  public static EnvironmentWriter open(Path folder, WriterOptions options) {
    return open(folder, options, DurableFiles.system(), MEMORY);
  }

  static EnvironmentWriter open(
      Path folder, WriterOptions options, DurableFiles files, long memory) {
    try {
      Files.createDirectories(folder);
    } catch (FileAlreadyExistsException e) {
      throw new WorkFailedException(folder + " is a file; an LMDB environment is a folder", e);
    } catch (IOException e) {
      throw FileErrors.failure("create", folder, e);
    }
    Path data = folder.resolve(Environment.DATA_FILE);
    LockFile lock =
        LockFile.openOrCreate(folder.resolve(LockFile.NAME), () -> openData(data, options, files));
    try {
      openData(data, options, files);
      DurableFile file = files.openOrCreate(data);
      return new EnvironmentWriter(data, options, file, lock, memory);
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  /** Makes the data file if it is missing, and returns its last transaction. */
  private static long openData(Path data, WriterOptions options, DurableFiles files) {
    boolean empty = true;
    if (files.exists(data)) {
      try (DurableFile file = files.openOrCreate(data)) {
        empty = file.size() == 0;
      }
    }
    if (empty) {
      files.replace(data, MetaState.newFile(options.pageSize()));
    }
    try (DurableFile file = files.openOrCreate(data)) {
      return MetaState.read(file).id();
    }
  }

  /**
   * Begins a transaction; the thread that begins it must also commit or close it.
   *
   * @throws WorkFailedException if another writer is at work and the wait is over
   */
  public WriteTransaction begin() {
    if (closed) {
      throw new UsageException("the environment " + dataPath + " is closed");
    }
    lock.lockWriter(options.lockWait());
    try {
      if (failure != null) {
        throw new WorkFailedException(failure);
      }
      MetaState state = MetaState.read(file);
      if (space == null) {
        space = new PageSpace(file, state.pageSize(), options.sync(), memory);
      }
      if (lock.oldestReader(state.id()) < state.id()) {
        lock.clearStaleReaders();
      }
      current = new WriteTransaction(this, state, space);
      return current;
    } catch (RuntimeException e) {
      lock.unlockWriter();
      throw e;
    }
  }

  DurableFile file() {
    return file;
  }

  LockFile lock() {
    return lock;
  }

  boolean sync() {
    return options.sync();
  }

  /** Refuses further transactions, because it is not known what is on disk. */
  void fail(String why) {
    failure = why;
  }

  /** Called by the transaction under way when it has ended; lets the next writer in. */
  void ended() {
    current = null;
    lock.unlockWriter();
  }

  /** Closes the files; a transaction under way is dropped. */
  @Override
  public void close() {
    if (!closed) {
      if (current != null) {
        current.close();
      }
      closed = true;
      file.close();
      lock.close();
    }
  }
}
