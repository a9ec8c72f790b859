package dev.tandem.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * What the operating system may know of a file in advance. Hints: they promise nothing, and what
 * goes wrong shows when the file is written or forced.
 *
 * <p>Works on a descriptor of its own, because a channel does not give its away.
 */
final class FileHints implements AutoCloseable {

  private static final int READ_WRITE = 2;
  private static final int CLOSE_ON_EXEC = 0x80000;
  private static final int START_WRITING = 2;

  private static final MethodHandle OPEN =
      NativeCalls.call(
          "open",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle CLOSE =
      NativeCalls.call("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle SYNC_RANGE =
      NativeCalls.call(
          "sync_file_range",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

  private static final MethodHandle ALLOCATE =
      NativeCalls.call(
          "fallocate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));

  private final int descriptor;

  FileHints(Path path) {
    try (Arena arena = Arena.ofConfined()) {
      descriptor =
          (int) OPEN.invokeExact(arena.allocateFrom(path.toString()), READ_WRITE | CLOSE_ON_EXEC);
    } catch (Throwable e) {
      throw NativeCalls.unexpected(e);
    }
  }

  /**
   * This many bytes from the beginning will be written: the file has its room and length at once.
   */
  void reserve(long bytes) {
    try {
      int _ = (int) ALLOCATE.invokeExact(descriptor, 0, 0L, bytes);
    } catch (Throwable e) {
      throw NativeCalls.unexpected(e);
    }
  }

  /** A later force shall find these bytes written. */
  void start(long position, long length) {
    try {
      int _ = (int) SYNC_RANGE.invokeExact(descriptor, position, length, START_WRITING);
    } catch (Throwable e) {
      throw NativeCalls.unexpected(e);
    }
  }

  @Override
  public void close() {
    try {
      int _ = (int) CLOSE.invokeExact(descriptor);
    } catch (Throwable e) {
      throw NativeCalls.unexpected(e);
    }
  }
}
