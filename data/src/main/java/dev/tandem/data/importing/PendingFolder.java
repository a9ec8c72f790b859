package dev.tandem.data.importing;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The folder of a database that is being made: {@code NAME.pending} until {@link #complete()}
 * renames it. Whatever else happens (a failure, Ctrl-C) removes it; what a killed process left is
 * removed by the next one that makes the same database. For one thread.
 */
public final class PendingFolder implements AutoCloseable {

  /** Locked while a process works in the folder, so that two never share it. */
  private static final String MARK = "making";

  /** What a database's folder may hold; anything else and it is not ours to replace. */
  private static final Set<String> OWN =
      Set.of("data.mdb", "lock.mdb", "labels.txt", "columns.json", MARK);

  private final Path target;
  private final Path pending;
  private final boolean overwrite;
  private final FileChannel mark;
  private final Thread atExit;
  private boolean finished;

  private PendingFolder(Path target, Path pending, boolean overwrite, FileChannel mark) {
    this.target = target;
    this.pending = pending;
    this.overwrite = overwrite;
    this.mark = mark;
    this.atExit = Thread.ofPlatform().name("remove-pending").unstarted(this::removeQuietly);
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /**
   * Begins a database.
   *
   * @param target its folder; its parent must exist
   * @param overwrite an existing database may be replaced
   */
  public static PendingFolder begin(Path target, boolean overwrite) {
    Path absolute = target.toAbsolutePath().normalize();
    checkTarget(target, absolute, overwrite);
    Path pending = absolute.resolveSibling(absolute.getFileName() + ".pending");
    try {
      boolean left = Files.isDirectory(pending);
      if (!left) {
        Files.createDirectory(pending);
      }
      FileChannel mark = lock(pending.resolve(MARK));
      if (mark == null) {
        throw new WorkFailedException("another process is making " + target + " now");
      }
      PendingFolder folder = new PendingFolder(absolute, pending, overwrite, mark);
      if (left) {
        // A killed process left it: begin anew.
        for (Path file : list(pending)) {
          if (!file.endsWith(MARK)) {
            Files.delete(file);
          }
        }
      }
      return folder;
    } catch (IOException e) {
      throw FileErrors.failure("make the folder", pending, e);
    }
  }

  private static void checkTarget(Path target, Path absolute, boolean overwrite) {
    Path parent = absolute.getParent();
    if (parent == null || !Files.isDirectory(parent)) {
      throw new UsageException("cannot make " + target + ": there is no folder " + parent);
    }
    if (Files.isDirectory(absolute)) {
      List<Path> files = list(absolute);
      if (!files.isEmpty() && !overwrite) {
        throw new UsageException(target + " exists; --overwrite replaces it");
      }
      for (Path file : files) {
        String name = file.getFileName().toString();
        if (!OWN.contains(name) && !name.endsWith(".tdx")) {
          throw new UsageException(
              "will not overwrite "
                  + target
                  + ": it holds "
                  + file.getFileName()
                  + ", which is not part of a database");
        }
      }
    } else if (Files.exists(absolute)) {
      throw new UsageException("cannot make " + target + ": it is a file, not a folder");
    }
  }

  private static FileChannel lock(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      lock = null;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    if (lock == null) {
      channel.close();
      return null;
    }
    return channel;
  }

  /** Where to write meanwhile. */
  public Path path() {
    return pending;
  }

  /**
   * Gives the folder its name. Call it when the files in it are whole and synced; their writers
   * must be closed.
   */
  public synchronized void complete() {
    if (finished) {
      throw new WorkFailedException("stopped before " + target + " was whole");
    }
    DurableFiles files = DurableFiles.system();
    files.delete(pending.resolve("lock.mdb"));
    files.delete(pending.resolve(MARK));
    files.forceDirectory(pending);
    Path old = target.resolveSibling(target.getFileName() + ".old");
    boolean replaces = overwrite && Files.isDirectory(target);
    if (replaces) {
      removeTree(old);
      files.rename(target, old);
    }
    try {
      files.rename(pending, target);
    } catch (RuntimeException e) {
      if (replaces) {
        files.rename(old, target);
      }
      throw e;
    }
    files.forceDirectory(target.getParent());
    finished = true;
    if (replaces) {
      removeTree(old);
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The machine is going down: the hook does the work, or does not mind that it is done.
    }
    removeQuietly();
  }

  /** Runs at Ctrl-C, too, while the writer may still be at work; what it then writes is lost. */
  private synchronized void removeQuietly() {
    if (finished) {
      closeMark();
      return;
    }
    finished = true;
    try {
      removeTree(pending);
    } catch (RuntimeException e) {
      // The next process that makes this database removes it.
    }
    closeMark();
  }

  private void closeMark() {
    try {
      mark.close();
    } catch (IOException e) {
      // Nothing was written to it.
    }
  }

  private static List<Path> list(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    } catch (IOException e) {
      throw FileErrors.failure("list", folder, e);
    }
  }

  private static void removeTree(Path folder) {
    if (Files.isDirectory(folder)) {
      for (Path file : list(folder)) {
        DurableFiles.system().delete(file);
      }
      DurableFiles.system().delete(folder);
    }
  }
}
