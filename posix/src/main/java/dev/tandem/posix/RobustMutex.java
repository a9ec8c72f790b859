package dev.tandem.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tandem.core.WorkFailedException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.time.Duration;
import java.time.Instant;

/**
 * A robust, process-shared pthread mutex in shared memory, as C programs use it: if its owner dies,
 * the next one to lock is told so.
 *
 * <p>The owner is an operating-system thread: the platform thread that locked must unlock. The
 * memory is borrowed and must outlive this object.
 */
public final class RobustMutex {

  /** Bytes that glibc uses for a mutex on this processor. */
  public static final int SIZE = (int) Linux.number(40, 48);

  /** How a lock was had, or that it was not. */
  public enum Outcome {
    /** Locked. */
    LOCKED,
    /** Locked, after its owner died: repair what it guards, then call {@link #consistent}. */
    OWNER_DIED,
    /** Not locked: somebody else has it. */
    BUSY
  }

  private static final int ATTRIBUTES_SIZE = 8;
  private static final int BUSY = 16;
  private static final int TIMED_OUT = 110;
  private static final int OWNER_DIED = 130;
  private static final int PROCESS_SHARED = 1;
  private static final int ROBUST = 1;

  private static final MethodHandle ATTRIBUTES_INIT = unary("pthread_mutexattr_init");
  private static final MethodHandle ATTRIBUTES_DESTROY = unary("pthread_mutexattr_destroy");
  private static final MethodHandle SET_SHARED = withFlag("pthread_mutexattr_setpshared");
  private static final MethodHandle SET_ROBUST = withFlag("pthread_mutexattr_setrobust");
  private static final MethodHandle INIT = binary("pthread_mutex_init");
  private static final MethodHandle LOCK = unary("pthread_mutex_lock");
  private static final MethodHandle TRY_LOCK = unary("pthread_mutex_trylock");
  private static final MethodHandle TIMED_LOCK = binary("pthread_mutex_timedlock");
  private static final MethodHandle CONSISTENT = unary("pthread_mutex_consistent");
  private static final MethodHandle UNLOCK = unary("pthread_mutex_unlock");

  private final MemorySegment memory;

  /** A mutex that somebody has initialised, or that {@link #initialise} will. */
  public RobustMutex(MemorySegment memory) {
    this.memory = memory.asSlice(0, SIZE);
  }

  /** Makes it a new, unlocked mutex; nobody may be using it. */
  public void initialise() {
    memory.fill((byte) 0);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(ATTRIBUTES_SIZE, 8);
      check("prepare", (int) ATTRIBUTES_INIT.invokeExact(attributes));
      check("share", (int) SET_SHARED.invokeExact(attributes, PROCESS_SHARED));
      check("make robust", (int) SET_ROBUST.invokeExact(attributes, ROBUST));
      check("initialise", (int) INIT.invokeExact(memory, attributes));
      check("finish", (int) ATTRIBUTES_DESTROY.invokeExact(attributes));
    } catch (Throwable e) {
      throw propagate(e);
    }
  }

  /** Waits for the mutex. The thread that has it already must not call this. */
  public Outcome lock() {
    try {
      return outcome((int) LOCK.invokeExact(memory));
    } catch (Throwable e) {
      throw propagate(e);
    }
  }

  /** Waits for the mutex no longer than this; zero does not wait at all. */
  public Outcome lock(Duration limit) {
    try (Arena arena = Arena.ofConfined()) {
      if (limit.isZero()) {
        return outcome((int) TRY_LOCK.invokeExact(memory));
      }
      Instant until = Instant.now().plus(limit);
      MemorySegment time = arena.allocate(16, 8);
      time.set(JAVA_LONG, 0, until.getEpochSecond());
      time.set(JAVA_LONG, 8, until.getNano());
      return outcome((int) TIMED_LOCK.invokeExact(memory, time));
    } catch (Throwable e) {
      throw propagate(e);
    }
  }

  /** Says that what the dead owner left is repaired. */
  public void consistent() {
    try {
      check("repair", (int) CONSISTENT.invokeExact(memory));
    } catch (Throwable e) {
      throw propagate(e);
    }
  }

  /** Gives it up; only the thread that locked may. */
  public void unlock() {
    try {
      check("unlock", (int) UNLOCK.invokeExact(memory));
    } catch (Throwable e) {
      throw propagate(e);
    }
  }

  private static Outcome outcome(int code) {
    return switch (code) {
      case 0 -> Outcome.LOCKED;
      case OWNER_DIED -> Outcome.OWNER_DIED;
      case BUSY, TIMED_OUT -> Outcome.BUSY;
      default -> throw failure("lock", code);
    };
  }

  private static void check(String what, int code) {
    if (code != 0) {
      throw failure(what, code);
    }
  }

  private static WorkFailedException failure(String what, int code) {
    return new WorkFailedException("cannot " + what + " a shared mutex: " + NativeCalls.text(code));
  }

  private static MethodHandle unary(String name) {
    return NativeCalls.call(name, FunctionDescriptor.of(JAVA_INT, ADDRESS));
  }

  private static MethodHandle binary(String name) {
    return NativeCalls.call(name, FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
  }

  private static MethodHandle withFlag(String name) {
    return NativeCalls.call(name, FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  }

  private static RuntimeException propagate(Throwable e) {
    if (e instanceof RuntimeException known) {
      return known;
    }
    throw NativeCalls.unexpected(e);
  }
}
