package dev.tandem.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** What the foreign calls of this module share: symbols of the C library and errno. */
final class NativeCalls {

  static final int NO_SUCH_FILE = 2;
  static final int INTERRUPTED = 4;
  static final int TRY_AGAIN = 11;
  static final int ACCESS_DENIED = 13;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final MethodHandle STRERROR =
      call("strerror", FunctionDescriptor.of(ADDRESS, JAVA_INT));

  private NativeCalls() {}

  /** A function of the C library. */
  @SuppressWarnings("restricted") // this module is where foreign calls live
  static MethodHandle call(String name, FunctionDescriptor type, Linker.Option... options) {
    return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type, options);
  }

  /** Handles made with this option take a segment from {@link #state} as their first argument. */
  static Linker.Option errno() {
    return Linker.Option.captureCallState("errno");
  }

  static MemorySegment state(Arena arena) {
    return arena.allocate(STATE);
  }

  static int errno(MemorySegment state) {
    return (int) ERRNO.get(state, 0L);
  }

  /** The error as the JDK would throw it, so that {@link FileErrors} can word it. */
  static IOException error(int errno, Path path) {
    String name = path.toString();
    return switch (errno) {
      case NO_SUCH_FILE -> new NoSuchFileException(name);
      case ACCESS_DENIED -> new AccessDeniedException(name);
      default -> new FileSystemException(name, null, text(errno));
    };
  }

  static String text(int errno) {
    try {
      MemorySegment text = (MemorySegment) STRERROR.invokeExact(errno);
      return sized(text, 256).getString(0);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Native memory of known size, from a bare address. */
  @SuppressWarnings("restricted") // the caller knows the size from the call that gave the address
  static MemorySegment sized(MemorySegment address, long size) {
    return address.reinterpret(size);
  }

  /** A downcall throws nothing of its own; what arrives here is a mistake in its description. */
  static AssertionError unexpected(Throwable e) {
    return new AssertionError("foreign call failed", e);
  }
}
