package dev.tandem.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Locale;
import java.util.function.Function;

/** The one place that binds functions of the C library. Every bound function captures errno. */
final class Linux {

  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  /** Each thread's own place for errno and small structures: calls need no allocation. */
  private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

  private Linux() {}

  /** Memory of one thread for the duration of one call. */
  static final class Scratch {
    final MemorySegment callState = Arena.ofAuto().allocate(CALL_STATE);
    final MemorySegment memory = Arena.ofAuto().allocate(256, 16);

    int errno() {
      return (int) ERRNO.get(callState, 0L);
    }
  }

  static Scratch scratch() {
    return SCRATCH.get();
  }

  /** What makes of a machine something that is there or not. */
  static <T> Capability<T> bind(String what, Function<Linker, T> binding) {
    String system = System.getProperty("os.name");
    if (!system.equals("Linux")) {
      return new Capability.Missing<>(what + " needs Linux, this is " + system);
    }
    if (!Linux.class.getModule().isNativeAccessEnabled()) {
      return new Capability.Missing<>(
          what + " needs the JVM flag --enable-native-access=ALL-UNNAMED");
    }
    try {
      return new Capability.Present<>(binding.apply(Linker.nativeLinker()));
    } catch (RuntimeException e) {
      return new Capability.Missing<>(what + " is not offered here: " + e.getMessage());
    }
  }

  /** A function of the C library whose first parameter, before those given, takes errno. */
  @SuppressWarnings("restricted")
  static MethodHandle function(Linker linker, String name, FunctionDescriptor descriptor) {
    MemorySegment address =
        linker
            .defaultLookup()
            .find(name)
            .orElseThrow(() -> new UnsupportedOperationException("no function " + name));
    return linker.downcallHandle(address, descriptor, Linker.Option.captureCallState("errno"));
  }

  /** The variadic {@code syscall}, for calls without a function of their own. */
  @SuppressWarnings("restricted")
  static MethodHandle syscall(Linker linker, FunctionDescriptor descriptor) {
    MemorySegment address = linker.defaultLookup().find("syscall").orElseThrow();
    return linker.downcallHandle(
        address,
        descriptor,
        Linker.Option.captureCallState("errno"),
        Linker.Option.firstVariadicArg(1));
  }

  /** A number of the system's interface that depends on the processor, as those of calls do. */
  static long number(long onX86, long onArm) {
    String architecture = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return switch (architecture) {
      case "amd64", "x86_64" -> onX86;
      case "aarch64" -> onArm;
      default ->
          throw new UnsupportedOperationException(
              "Linux's system interface on " + architecture + " is not known");
    };
  }

  static IllegalStateException unexpected(Throwable e) {
    return new IllegalStateException("a foreign call failed in Java", e);
  }

  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
}
