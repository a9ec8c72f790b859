package dev.tandem.posix;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/**
 * The share of the processors that a thread gets when others want them, too. Java's own priorities
 * do nothing on Linux; the kernel's "nice" values do.
 */
public final class ThreadPriority {

  private static final int PROCESS = 0;
  private static final int CALLING_THREAD = 0;

  /** Gets about a tenth of what a usual thread gets on the same core, all of an idle one. */
  private static final int BACKGROUND = 10;

  private static final Capability<ThreadPriority> CAPABILITY =
      Linux.bind("the priority of a thread", ThreadPriority::new);

  private final MethodHandle setPriority;

  private ThreadPriority(Linker linker) {
    setPriority =
        Linux.function(
            linker,
            "setpriority",
            FunctionDescriptor.of(Linux.INT, Linux.INT, Linux.INT, Linux.INT));
  }

  /**
   * Lets the calling thread give way to others, for as long as it lives. Where the system knows no
   * such thing nothing changes.
   */
  public static void lower() {
    if (CAPABILITY instanceof Capability.Present<ThreadPriority>(ThreadPriority priority)) {
      try {
        int _ =
            (int)
                priority.setPriority.invokeExact(
                    Linux.scratch().callState, PROCESS, CALLING_THREAD, BACKGROUND);
      } catch (Throwable e) {
        throw Linux.unexpected(e);
      }
    }
  }
}
