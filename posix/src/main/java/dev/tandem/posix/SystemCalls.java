package dev.tandem.posix;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/**
 * Calls of the kernel by number, with up to six whole numbers or addresses: one function for all,
 * since binding one takes a new JVM 20 ms and more, and one of the same form next to nothing. After
 * a call below zero the thread's {@link Linux#scratch()} has errno. Thread-safe.
 */
final class SystemCalls {

  // Arguments that several callers have.
  static final long READ_WRITE = 3;
  static final long CURRENT_FOLDER = -100;

  final long map = Linux.number(9, 222);
  final long unmap = Linux.number(11, 215);
  final long advise = Linux.number(28, 233);
  final long open = Linux.number(257, 56);
  final long close = Linux.number(3, 57);
  final long allocate = Linux.number(285, 47);
  final long memoryFile = Linux.number(319, 279);
  final long futex = Linux.number(202, 98);
  final long ioUringSetup = 425;
  final long ioUringEnter = 426;
  final long ioUringRegister = 427;

  /** The flag of {@link #open} for reads past the page cache. */
  final long pastPageCache = Linux.number(0x4000, 0x10000);

  private final MethodHandle call;

  SystemCalls(Linker linker) {
    call =
        Linux.syscall(
            linker,
            FunctionDescriptor.of(
                Linux.LONG,
                Linux.LONG,
                Linux.LONG,
                Linux.LONG,
                Linux.LONG,
                Linux.LONG,
                Linux.LONG,
                Linux.LONG));
  }

  long call(long number, long first, long second, long third, long fourth, long fifth, long last) {
    try {
      return (long)
          call.invokeExact(
              Linux.scratch().callState, number, first, second, third, fourth, fifth, last);
    } catch (Throwable e) {
      throw Linux.unexpected(e);
    }
  }
}
