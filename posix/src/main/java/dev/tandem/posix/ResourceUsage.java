package dev.tandem.posix;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.time.Duration;

/**
 * What a process or a thread has used so far, as the kernel counts it.
 *
 * @param user time in the program
 * @param system time in the kernel on behalf of the program
 * @param maximumResidentBytes the most memory it ever had at once
 * @param majorFaults pages that had to be read from a disk
 * @param voluntarySwitches how often it gave the processor up to wait
 * @param involuntarySwitches how often the processor was taken away
 */
public record ResourceUsage(
    Duration user,
    Duration system,
    long maximumResidentBytes,
    long majorFaults,
    long voluntarySwitches,
    long involuntarySwitches) {

  private static final int PROCESS = 0;
  private static final int THREAD = 1;

  /** Time in the program and in the kernel. */
  public Duration processorTime() {
    return user.plus(system);
  }

  /** Reads the usage; thread-safe. */
  public static final class Reader {

    private static final Capability<Reader> CAPABILITY = Linux.bind("resource usage", Reader::new);

    private final MethodHandle call;

    private Reader(Linker linker) {
      call =
          Linux.function(
              linker,
              "getrusage",
              FunctionDescriptor.of(Linux.INT, Linux.INT, ValueLayout.ADDRESS));
    }

    /** What this process has used. */
    public ResourceUsage process() {
      return read(PROCESS);
    }

    /** What the calling thread has used. */
    public ResourceUsage thread() {
      return read(THREAD);
    }

    private ResourceUsage read(int whose) {
      Linux.Scratch scratch = Linux.scratch();
      MemorySegment usage = scratch.memory;
      int result;
      try {
        result = (int) call.invokeExact(scratch.callState, whose, usage);
      } catch (Throwable e) {
        throw Linux.unexpected(e);
      }
      if (result < 0) {
        throw new IllegalStateException("getrusage failed: error " + scratch.errno());
      }
      // Sixteen longs: two times of seconds and microseconds, then counters.
      return new ResourceUsage(
          time(usage, 0),
          time(usage, 2),
          usage.getAtIndex(Linux.LONG, 4) * 1024,
          usage.getAtIndex(Linux.LONG, 9),
          usage.getAtIndex(Linux.LONG, 14),
          usage.getAtIndex(Linux.LONG, 15));
    }

    private static Duration time(MemorySegment usage, int index) {
      return Duration.ofSeconds(usage.getAtIndex(Linux.LONG, index))
          .plusNanos(usage.getAtIndex(Linux.LONG, index + 1) * 1000);
    }
  }

  public static Capability<Reader> reader() {
    return Reader.CAPABILITY;
  }
}
