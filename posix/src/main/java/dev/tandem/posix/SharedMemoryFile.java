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
 * A file that several processes of one host map as common memory. Unlink it as soon as all have
 * mapped it: the memory lives on until the last of them ends, and nothing is left over, however
 * they end.
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

  /**
   * Where shared memory may live, best first: memory itself, then the folder of temporary files.
   */
  public static List<Path> folders() {
    return List.of(Path.of("/dev/shm"), Path.of(System.getProperty("java.io.tmpdir")));
  }

  /**
   * Creates a zeroed file in the first folder that has room for it. All its memory is really there
   * when it returns: a full filesystem shows here and not as a crash at first use.
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
      try {
        // Not by Files.getFileStore, which reads the whole list of mounts.
        long free = folder.toFile().getUsableSpace();
        if (free == 0 && !Files.exists(folder)) {
          reasons.append("; there is no ").append(folder);
          continue;
        }
        if (free < bytes) {
          reasons.append("; %s has %d bytes free".formatted(folder, free));
          continue;
        }
        sweep(folder);
        return createIn(folder, bytes, huge);
      } catch (IOException e) {
        reasons.append("; ").append(FileErrors.failure("use", folder, e).getMessage());
      }
    }
    throw new WorkFailedException("no room for %d bytes to share%s".formatted(bytes, reasons));
  }

  private static Path createIn(Path folder, long bytes, long huge) throws IOException {
    Path file = createEmpty(folder);
    NAMED.add(file);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      if (huge > 0) {
        channel.write(ByteBuffer.allocate(1), bytes - 1);
        if (HugeMemory.reserve(file, bytes, huge)) {
          return file;
        }
      }
      ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS);
      for (long written = 0; written < bytes; ) {
        written += channel.write(zeros.clear().limit((int) Math.min(ZEROS, bytes - written)));
      }
      return file;
    } catch (IOException e) {
      Files.deleteIfExists(file);
      NAMED.remove(file);
      throw e;
    }
  }

  /**
   * A new file for this user alone. Its name need not be a secret, since an existing one is never
   * taken: secret numbers, as in the name of a temporary file, take a new JVM longer than the rest.
   */
  private static Path createEmpty(Path folder) throws IOException {
    long pid = ProcessHandle.current().pid();
    for (long number = System.nanoTime(); ; number++) {
      Path file = folder.resolve(PREFIX + pid + "-" + number + SUFFIX);
      try {
        return Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
      } catch (FileAlreadyExistsException e) {
        // Of a process with this number in another container, or by chance.
      }
    }
  }

  /**
   * Maps the whole file; the memory is good until the arena is closed. The segment is of the same
   * class as allocated ones: loops over both then compile to one fast version.
   */
  @SuppressWarnings("restricted")
  public static MemorySegment map(Path file, Arena arena) {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment mapped = channel.map(MapMode.READ_WRITE, 0, channel.size(), arena);
      return MemorySegment.ofAddress(mapped.address()).reinterpret(mapped.byteSize(), arena, null);
    } catch (IOException e) {
      throw FileErrors.failure("map", file, e);
    }
  }

  /** Removes the name; a process that has mapped the file keeps the memory. */
  public static void unlink(Path file) {
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
