package dev.tandem.posix;

import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * A file that several processes of one host map as common memory, in {@code /dev/shm} or, where
 * that is small, in memory without a folder. Unlink it as soon as all have mapped it: the memory
 * lives on until the last of them ends, and nothing is left over, however they end.
 */
public final class SharedMemoryFile {

  private static final String PREFIX = "tandem-";
  private static final String SUFFIX = ".shared";
  private static final Set<PosixFilePermission> OWNER_ONLY =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
  private static final Pattern PID = Pattern.compile("[0-9]{1,18}");
  private static final int ZEROS = 1 << 20;
  private static final Duration STALE = Duration.ofMinutes(10);

  /** Files of this process that still have a name: only these could outlive it. */
  private static final Set<Path> NAMED = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(SharedMemoryFile::unlinkAll, "tandem-unlink-shared"));
  }

  private SharedMemoryFile() {}

  /** The variable that names the only folder to use, even one on a disk. */
  public static final String FOLDER_VARIABLE = "TANDEM_SHARED_FOLDER";

  /** Where shared memory may live, best first; never on a disk, unless a variable says so. */
  public static List<Path> folders() {
    String named = System.getenv(FOLDER_VARIABLE);
    return named == null || named.isEmpty()
        ? List.of(Path.of("/dev/shm"), MemoryFiles.FOLDER)
        : List.of(Path.of(named));
  }

  /**
   * Creates a zeroed file in the first folder that has room for it, or twice the room if there is a
   * next folder, since others use it too. All its memory is really there when it returns: a full
   * filesystem shows here and not as a crash at first use.
   */
  public static Path create(long bytes, List<Path> folders) {
    return create(bytes, 0, folders);
  }

  /**
   * As {@link #create(long, List)}.
   *
   * @param huge how many of the bytes in huge pages, where the kernel can
   */
  public static Path create(long bytes, long huge, List<Path> folders) {
    StringBuilder reasons = new StringBuilder();
    for (Path folder : folders) {
      long needed = folder.equals(folders.getLast()) ? bytes : 2 * bytes;
      try {
        if (folder.equals(MemoryFiles.FOLDER)) {
          long free = MachineMemory.available();
          if (free >= needed) {
            return fill(MemoryFiles.create(name(System.nanoTime())), bytes, huge);
          }
          reasons.append("; %d bytes of memory are free".formatted(free));
          continue;
        }
        // Not by Files.getFileStore, which reads the whole list of mounts.
        long free = folder.toFile().getUsableSpace();
        if (free == 0 && !Files.exists(folder)) {
          reasons.append("; there is no ").append(folder);
          continue;
        }
        if (free < needed) {
          reasons.append("; %s has %d bytes free".formatted(folder, free));
          continue;
        }
        sweep(folder);
        return fill(createEmpty(folder), bytes, huge);
      } catch (IOException e) {
        reasons.append("; ").append(FileErrors.failure("use", folder, e).getMessage());
      }
    }
    throw new WorkFailedException("no room for %d bytes to share%s".formatted(bytes, reasons));
  }

  /** Gives an empty file its memory; gives the file. */
  private static Path fill(Path file, long bytes, long huge) throws IOException {
    Path opened = MemoryFiles.opened(file);
    try (FileChannel channel = FileChannel.open(opened, StandardOpenOption.WRITE)) {
      if (huge > 0) {
        channel.write(ByteBuffer.allocate(1), bytes - 1);
        if (HugeMemory.reserve(opened, bytes, huge)) {
          return file;
        }
      }
      ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS);
      for (long written = 0; written < bytes; ) {
        written += channel.write(zeros.clear().limit((int) Math.min(ZEROS, bytes - written)));
      }
      return file;
    } catch (IOException e) {
      unlink(file);
      throw e;
    }
  }

  /**
   * A new file for this user alone. Its name need not be a secret, since an existing one is never
   * taken: secret numbers, as in the name of a temporary file, take a new JVM longer than the rest.
   */
  private static Path createEmpty(Path folder) throws IOException {
    for (long number = System.nanoTime(); ; number++) {
      Path file = folder.resolve(name(number));
      try {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        NAMED.add(file);
        return file;
      } catch (FileAlreadyExistsException e) {
        // Of a process with this number in another container, or by chance.
      }
    }
  }

  private static String name(long number) {
    return PREFIX + ProcessHandle.current().pid() + "-" + number + SUFFIX;
  }

  /**
   * Maps the whole file; the memory is good until the arena is closed. The segment is of the same
   * class as allocated ones: loops over both then compile to one fast version.
   */
  @SuppressWarnings("restricted")
  public static MemorySegment map(Path file, Arena arena) {
    try (FileChannel channel =
        FileChannel.open(
            MemoryFiles.opened(file), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment mapped = channel.map(MapMode.READ_WRITE, 0, channel.size(), arena);
      return MemorySegment.ofAddress(mapped.address()).reinterpret(mapped.byteSize(), arena, null);
    } catch (IOException e) {
      throw FileErrors.failure("map", file, e);
    }
  }

  /** Removes the name; a process that has mapped the file keeps the memory. */
  public static void unlink(Path file) {
    if (MemoryFiles.named(file)) {
      MemoryFiles.close(file);
      return;
    }
    try {
      Files.deleteIfExists(file);
      NAMED.remove(file);
    } catch (IOException e) {
      throw FileErrors.failure("delete", file, e);
    }
  }

  /**
   * Removes the names of all files that this process has created and not unlinked yet, as far as
   * possible; for a process that is about to end without shutdown hooks.
   */
  public static void unlinkAll() {
    for (Path file : NAMED) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        // A later job will sweep it.
      }
    }
  }

  /** Removes what a process left that was killed between creating and unlinking. */
  private static void sweep(Path folder) throws IOException {
    String[] names = folder.toFile().list();
    if (names == null) {
      return; // It cannot be listed; that nothing can be made in it will show.
    }
    long limit = System.currentTimeMillis() - STALE.toMillis();
    for (String name : names) {
      Path file = folder.resolve(name);
      // Young files stay: their maker may run where we cannot see its process.
      if (orphaned(name) && file.toFile().lastModified() < limit) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static boolean orphaned(String name) {
    if (!name.startsWith(PREFIX) || !name.endsWith(SUFFIX)) {
      return false;
    }
    String rest = name.substring(PREFIX.length());
    String pid = rest.substring(0, Math.max(0, rest.indexOf('-')));
    return PID.matcher(pid).matches() && ProcessHandle.of(Long.parseLong(pid)).isEmpty();
  }
}
