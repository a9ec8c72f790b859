package dev.tandem.posix;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Files without a folder ({@code memfd_create}), which are in memory wherever this process runs.
 * Other processes of this user find them through this process: a path is {@code /proc/PID/fd/N} and
 * after it the name of the file, since in a container a process with that number may be another.
 * Thread-safe.
 */
final class MemoryFiles {

  /** Stands for these files in a list of folders. */
  static final Path FOLDER = Path.of("/proc/self/fd");

  private static final long CLOSE_ON_EXEC = 1;
  private static final Path PROCESSES = Path.of("/proc");
  private static final int PATH_LENGTH = 5;

  private static final Capability<MemoryFiles> CAPABILITY =
      Linux.bind("shared memory without a folder", MemoryFiles::new);

  /** Descriptors of this process. */
  private static final Map<Path, Long> OPEN = new ConcurrentHashMap<>();

  private final SystemCalls calls;

  private MemoryFiles(Linker linker) {
    calls = new SystemCalls(linker);
  }

  /** Makes an empty one, which is there until {@link #close}. */
  static Path create(String name) throws IOException {
    if (CAPABILITY instanceof Capability.Missing<MemoryFiles>(String reason)) {
      throw new FileSystemException(name, null, reason);
    }
    return CAPABILITY.orElseThrow().made(name);
  }

  private Path made(String name) throws IOException {
    long descriptor;
    try (Arena arena = Arena.ofConfined()) {
      long text = arena.allocateFrom(name).address();
      descriptor = calls.call(calls.memoryFile, text, CLOSE_ON_EXEC, 0, 0, 0, 0);
    }
    if (descriptor < 0) {
      throw new FileSystemException(
          name, null, "memfd_create failed, error " + Linux.scratch().errno());
    }
    long process = ProcessHandle.current().pid();
    Path path = Path.of("/proc", Long.toString(process), "fd", Long.toString(descriptor), name);
    OPEN.put(path, descriptor);
    return path;
  }

  /** Whether a path names such a file, of any process. */
  static boolean named(Path path) {
    return path.startsWith(PROCESSES) && path.getNameCount() == PATH_LENGTH;
  }

  /** Where to open a file that may be one of these. */
  static Path opened(Path path) throws IOException {
    if (!named(path)) {
      return path;
    }
    Path file = path.getParent();
    String target = Files.readSymbolicLink(file).toString();
    if (!target.equals("/memfd:" + path.getFileName() + " (deleted)")) {
      throw new FileSystemException(file.toString(), null, "it is another file here, " + target);
    }
    return file;
  }

  /** Closes one of this process; those that have mapped it keep the memory. */
  static void close(Path path) {
    Long descriptor = OPEN.remove(path);
    if (descriptor != null
        && CAPABILITY instanceof Capability.Present<MemoryFiles>(MemoryFiles files)) {
      var _ = files.calls.call(files.calls.close, descriptor, 0, 0, 0, 0, 0);
    }
  }
}
