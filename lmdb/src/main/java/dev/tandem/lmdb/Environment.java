package dev.tandem.lmdb;

import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.page.DamagedDatabaseException;
import dev.tandem.lmdb.page.LockFile;
import dev.tandem.lmdb.page.MappedFile;
import dev.tandem.lmdb.page.Meta;
import dev.tandem.lmdb.page.Pages;
import dev.tandem.lmdb.page.ReaderSlot;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * An LMDB 0.9 environment, open for reading; liblmdb is not needed, and others may write to it
 * meanwhile. Any thread may use it. Close its snapshots first, then the environment.
 *
 * <p>Where there is a lock file that can be written, snapshots take a slot in it, as liblmdb's
 * readers do, and writers keep their pages. Elsewhere (read-only media, network file systems, files
 * copied without their lock file) nothing is locked, and a snapshot that a writer overwrites says
 * so.
 */
public final class Environment implements AutoCloseable {

  public static final String DATA_FILE = "data.mdb";

  /** File systems on which locks and shared memory do not reach all who have the file open. */
  private static final Set<String> NETWORK =
      Set.of("nfs", "nfs4", "cifs", "smb3", "smbfs", "lustre", "gpfs", "beegfs", "ceph", "9p");

  private final Path file;
  private final FileChannel channel;

  /** Whether slots are wanted; false once it turned out that there can be none. */
  private boolean slots;

  private LockFile lock;

  /** The newest mapping; older ones live on as long as their snapshots. */
  private MappedFile mapped;

  private boolean closed;

  private Environment(Path file, FileChannel channel, boolean slots) {
    this.file = file;
    this.channel = channel;
    this.slots = slots;
  }

  /**
   * Opens an environment.
   *
   * @param path its folder, or the data file itself
   */
  public static Environment open(Path path) {
    return open(path, true);
  }

  /**
   * Opens an environment without touching its lock file, as {@link #open} does on read-only media.
   */
  public static Environment openWithoutLock(Path path) {
    return open(path, false);
  }

  private static Environment open(Path path, boolean slots) {
    Path file = dataFile(path);
    if (Files.isDirectory(file)) {
      throw new WorkFailedException("cannot open " + file + ": it is a folder");
    }
    Environment environment;
    try {
      environment = new Environment(file, FileChannel.open(file, StandardOpenOption.READ), slots);
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

  /**
   * Readers that liblmdb would have slots for in the environment at this folder or data file: as
   * many as its lock file has room for, and at least 126.
   */
  public static int readerSlots(Path path) {
    Path data = dataFile(path);
    return LockFile.roomForSlots(
        Files.isDirectory(path)
            ? data.resolveSibling(LockFile.NAME)
            : data.resolveSibling(data.getFileName() + "-lock"));
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
    Optional<ReaderSlot> slot = takeSlot();
    try {
      Meta meta = slot.isPresent() ? protectedMeta(slot.get()) : Meta.newest(file, channel);
      MappedFile whole = mapping();
      whole.retain();
      return new Snapshot(
          new Pages(file, channel, whole, meta, slot.isPresent()), whole, slot.orElse(null));
    } catch (RuntimeException e) {
      slot.ifPresent(ReaderSlot::release);
      throw e;
    }
  }

  /**
   * The newest state, protected. If writers commit twice before the slot names it, its pages may be
   * reused already, but then its meta page is another's and we begin again; see Note [Overwritten
   * snapshots].
   */
  private Meta protectedMeta(ReaderSlot slot) {
    while (true) {
      Meta meta = Meta.newest(file, channel);
      slot.protect(meta.transaction());
      if (Meta.transaction(file, channel, (long) meta.page() * meta.pageSize())
          == meta.transaction()) {
        return meta;
      }
    }
  }

  private MappedFile mapping() {
    try {
      long size = channel.size();
      if (mapped == null || mapped.size() != size) {
        if (mapped != null) {
          mapped.release();
        }
        mapped = new MappedFile(file, channel, size);
      }
      return mapped;
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  private Optional<ReaderSlot> takeSlot() {
    if (!slots) {
      return Optional.empty();
    }
    try {
      if (lock == null) {
        Optional<Path> usable = usableLockFile();
        if (usable.isEmpty()) {
          slots = false;
          return Optional.empty();
        }
        lock = LockFile.openOrCreate(usable.get(), () -> Meta.newest(file, channel).transaction());
        lock.clearStaleReaders();
      }
      return ReaderSlot.take(lock);
    } catch (WorkFailedException e) {
      if (e instanceof DamagedDatabaseException) {
        throw e;
      }
      // A lock file of another version, or one we may not lock: reading needs none.
      slots = false;
      return Optional.empty();
    }
  }

  /** The lock file, if it is there and locks in it are worth something. */
  private Optional<Path> usableLockFile() {
    Path beside = file.resolveSibling(LockFile.NAME);
    boolean inFolder = file.getFileName().toString().equals(DATA_FILE) && Files.exists(beside);
    Path path = inFolder ? beside : file.resolveSibling(file.getFileName() + "-lock");
    try {
      boolean local = !NETWORK.contains(Files.getFileStore(file).type().toLowerCase(Locale.ROOT));
      return local && Files.isRegularFile(path) && Files.isWritable(path)
          ? Optional.of(path)
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
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
    if (lock != null) {
      lock.close();
    }
    try {
      channel.close();
    } catch (IOException e) {
      throw FileErrors.failure("close", file, e);
    }
  }
}
