package dev.tandem.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * A small file that processes share: mapped into memory, with locks on single bytes that vanish
 * with the process that holds them.
 *
 * <p>The locks are POSIX record locks. They belong to the process, not to this object: closing
 * <em>any</em> descriptor of the same file, a {@code FileChannel} too, drops all of them. So open a
 * given file once per process, and share the object; or use {@link #tryLockOwn}, whose locks
 * exclude those of the other kind but belong to this object alone. Calls may come from any thread.
 */
public final class SharedFile implements AutoCloseable {

  private static final int READ_WRITE = 2;
  private static final int CREATE = 0x40;
  private static final int CLOSE_ON_EXEC = 0x80000;
  private static final int GET_LOCK = 5;
  private static final int SET_LOCK = 6;
  private static final int SET_LOCK_WAIT = 7;
  private static final int SET_OWN_LOCK = 37; // of the open file description
  private static final short SHARED = 0;
  private static final short EXCLUSIVE = 1;
  private static final short UNLOCKED = 2;
  private static final int SEEK_END = 2;
  private static final int PROTECT_READ_WRITE = 3;
  private static final int MAP_SHARED = 1;

  // struct flock: l_type s16@0, l_whence s16@2, l_start s64@8, l_len s64@16, l_pid s32@24.
  private static final int LOCK_SIZE = 32;
  private static final int LOCK_START = 8;
  private static final int LOCK_LENGTH = 16;

  private static final Linker.Option VARIADIC = Linker.Option.firstVariadicArg(2);
  private static final MethodHandle OPEN =
      NativeCalls.call(
          "open",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
          VARIADIC,
          NativeCalls.errno());
  private static final MethodHandle CLOSE =
      NativeCalls.call("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle FCNTL =
      NativeCalls.call(
          "fcntl",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS),
          VARIADIC,
          NativeCalls.errno());
  private static final MethodHandle LSEEK =
      NativeCalls.call(
          "lseek",
          FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT),
          NativeCalls.errno());
  private static final MethodHandle TRUNCATE =
      NativeCalls.call(
          "ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG), NativeCalls.errno());
  private static final MethodHandle MAP =
      NativeCalls.call(
          "mmap",
          FunctionDescriptor.of(
              ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG),
          NativeCalls.errno());
  private static final MethodHandle UNMAP =
      NativeCalls.call("munmap", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));

  private final Path path;
  private final int descriptor;
  private MemorySegment mapping = MemorySegment.NULL;
  private boolean closed;

  private SharedFile(Path path, int descriptor) {
    this.path = path;
    this.descriptor = descriptor;
  }

  /** Opens for reading and writing, made empty if it was not there. */
  public static SharedFile openOrCreate(Path path) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = NativeCalls.state(arena);
      int descriptor =
          (int)
              OPEN.invokeExact(
                  state,
                  arena.allocateFrom(path.toString()),
                  READ_WRITE | CREATE | CLOSE_ON_EXEC,
                  0666);
      if (descriptor < 0) {
        throw failure("open", path, NativeCalls.errno(state));
      }
      return new SharedFile(path, descriptor);
    } catch (Throwable e) {
      throw propagate(e);
    }
  }

  /** Size in bytes. */
  public long size() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = NativeCalls.state(arena);
      long size = (long) LSEEK.invokeExact(state, descriptor, 0L, SEEK_END);
      if (size < 0) {
        throw failure("read the size of", path, NativeCalls.errno(state));
      }
      return size;
    } catch (Throwable e) {
      throw propagate(e);
    }
  }

  /** Makes the file this long; new bytes are zero. */
  public void resize(long size) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = NativeCalls.state(arena);
      if ((int) TRUNCATE.invokeExact(state, descriptor, size) != 0) {
        throw failure("resize", path, NativeCalls.errno(state));
      }
    } catch (Throwable e) {
      throw propagate(e);
    }
  }

  /** The file's first {@code size} bytes, shared with other processes; valid until close. */
  public MemorySegment map(long size) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = NativeCalls.state(arena);
      MemorySegment address =
          (MemorySegment)
              MAP.invokeExact(
                  state, MemorySegment.NULL, size, PROTECT_READ_WRITE, MAP_SHARED, descriptor, 0L);
      if (address.address() == -1) {
        throw failure("map", path, NativeCalls.errno(state));
      }
      mapping = NativeCalls.sized(address, size);
      return mapping;
    } catch (Throwable e) {
      throw propagate(e);
    }
  }

  /** Locks one byte for this process alone; false if another process holds it. */
  public boolean tryLockExclusive(long offset) {
    return lock(SET_LOCK, EXCLUSIVE, offset);
  }

  /**
   * Locks one byte for this object alone, until it is closed; false if another object, of this
   * process too, or another process holds it.
   */
  public boolean tryLockOwn(long offset) {
    return lock(SET_OWN_LOCK, EXCLUSIVE, offset);
  }

  /** Gives back a byte that {@link #tryLockOwn} has locked. */
  public void unlockOwn(long offset) {
    lock(SET_OWN_LOCK, UNLOCKED, offset);
  }

  /**
   * Locks one byte together with other processes, waiting for one that has it exclusively. Replaces
   * an exclusive lock of this process without a gap.
   */
  public void lockShared(long offset) {
    lock(SET_LOCK_WAIT, SHARED, offset);
  }

  /** True if another process, or another object by {@link #tryLockOwn}, locks this byte. */
  public boolean lockedByOther(long offset) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment lock = request(arena, EXCLUSIVE, offset);
      int error = control(GET_LOCK, lock, arena);
      if (error != 0) {
        throw failure("ask for locks on", path, error);
      }
      return lock.get(JAVA_SHORT, 0) != UNLOCKED;
    }
  }

  private boolean lock(int command, short kind, long offset) {
    try (Arena arena = Arena.ofConfined()) {
      int error = control(command, request(arena, kind, offset), arena);
      if (error == 0) {
        return true;
      }
      if (error == NativeCalls.TRY_AGAIN || error == NativeCalls.ACCESS_DENIED) {
        return false;
      }
      throw failure("lock", path, error);
    }
  }

  private static MemorySegment request(Arena arena, short kind, long offset) {
    MemorySegment lock = arena.allocate(LOCK_SIZE, 8);
    lock.set(JAVA_SHORT, 0, kind);
    lock.set(JAVA_LONG, LOCK_START, offset);
    lock.set(JAVA_LONG, LOCK_LENGTH, 1);
    return lock;
  }

  private int control(int command, MemorySegment lock, Arena arena) {
    MemorySegment state = NativeCalls.state(arena);
    try {
      while ((int) FCNTL.invokeExact(state, descriptor, command, lock) != 0) {
        int errno = NativeCalls.errno(state);
        if (errno != NativeCalls.INTERRUPTED) {
          return errno;
        }
      }
      return 0;
    } catch (Throwable e) {
      throw propagate(e);
    }
  }

  /** Unmaps and closes; every lock of this process on the file goes with it. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      int result;
      if (mapping.address() != 0) {
        result = (int) UNMAP.invokeExact(mapping, mapping.byteSize());
      }
      result = (int) CLOSE.invokeExact(descriptor);
      if (result != 0) {
        throw failure("close", path, NativeCalls.INTERRUPTED);
      }
    } catch (Throwable e) {
      throw propagate(e);
    }
  }

  private static RuntimeException failure(String what, Path path, int errno) {
    return FileErrors.failure(what, path, NativeCalls.error(errno, path));
  }

  private static RuntimeException propagate(Throwable e) {
    if (e instanceof RuntimeException known) {
      return known;
    }
    throw NativeCalls.unexpected(e);
  }
}
