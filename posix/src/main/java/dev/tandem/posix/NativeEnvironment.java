package dev.tandem.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The environment variables that native libraries of this process see. Java copies them when it is
 * first asked for one: what is set before that its child processes inherit, too.
 */
public final class NativeEnvironment {

  private static final int LONGEST = 32 << 10;

  private static final Capability<NativeEnvironment> CAPABILITY =
      Linux.bind("the environment of native libraries", NativeEnvironment::new);

  private final MethodHandle set;
  private final MethodHandle read;

  private NativeEnvironment(Linker linker) {
    set =
        Linux.function(
            linker,
            "setenv",
            FunctionDescriptor.of(Linux.INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, Linux.INT));
    read =
        Linux.function(
            linker, "getenv", FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS));
  }

  public static Capability<NativeEnvironment> capability() {
    return CAPABILITY;
  }

  /**
   * Sets a variable unless it is set. Not safe while native code of others reads the environment:
   * meant for just before a library is loaded that reads it.
   */
  public void setIfMissing(String name, String value) {
    try (Arena arena = Arena.ofConfined()) {
      var _ =
          (int)
              set.invokeExact(
                  Linux.scratch().callState,
                  arena.allocateFrom(name),
                  arena.allocateFrom(value),
                  0);
    } catch (Throwable e) {
      throw Linux.unexpected(e);
    }
  }

  /** The value of a variable, if it is set. */
  public Optional<String> variable(String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value =
          (MemorySegment) read.invokeExact(Linux.scratch().callState, arena.allocateFrom(name));
      return value.address() == 0
          ? Optional.empty()
          : Optional.of(NativeCalls.sized(value, LONGEST).getString(0));
    } catch (Throwable e) {
      throw Linux.unexpected(e);
    }
  }
}
