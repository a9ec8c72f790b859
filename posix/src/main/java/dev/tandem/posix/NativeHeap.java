package dev.tandem.posix;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/** The heap that native libraries of this process allocate from ({@code malloc}). */
public final class NativeHeap {

  private static final int TRIM_THRESHOLD = -1;
  private static final int MAP_THRESHOLD = -3;

  /** The largest that glibc accepts: larger blocks are always mapped and given back. */
  private static final int LARGEST_KEPT = 32 << 20;

  private static final Capability<NativeHeap> CAPABILITY =
      Linux.bind("the settings of the native heap", NativeHeap::new);

  private final MethodHandle option;

  private NativeHeap(Linker linker) {
    option =
        Linux.function(linker, "mallopt", FunctionDescriptor.of(Linux.INT, Linux.INT, Linux.INT));
  }

  public static Capability<NativeHeap> capability() {
    return CAPABILITY;
  }

  /**
   * From now on freed blocks of up to 32 MiB stay with the process for the next ones of their size,
   * instead of going back to the system, which clears every page before it hands it out again. The
   * process stays as large as it once was.
   *
   * @return whether the C library agreed
   */
  public boolean keepFreedMemory() {
    return set(MAP_THRESHOLD, LARGEST_KEPT) && set(TRIM_THRESHOLD, Integer.MAX_VALUE);
  }

  private boolean set(int parameter, int value) {
    try {
      return (int) option.invokeExact(Linux.scratch().callState, parameter, value) == 1;
    } catch (Throwable e) {
      throw Linux.unexpected(e);
    }
  }
}
