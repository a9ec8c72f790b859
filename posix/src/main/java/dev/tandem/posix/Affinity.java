package dev.tandem.posix;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;

/**
 * On which processors the calling thread may run. A thread passes its set on to those it starts.
 */
public final class Affinity {

  private static final int MASK_BYTES = 128;
  private static final int CALLING_THREAD = 0;

  private static final Capability<Affinity> CAPABILITY =
      Linux.bind("thread affinity", Affinity::new);

  private final MethodHandle setter;
  private final MethodHandle reader;
  private final MethodHandle processor;

  private Affinity(Linker linker) {
    FunctionDescriptor descriptor =
        FunctionDescriptor.of(Linux.INT, Linux.INT, Linux.LONG, ValueLayout.ADDRESS);
    setter = Linux.function(linker, "sched_setaffinity", descriptor);
    reader = Linux.function(linker, "sched_getaffinity", descriptor);
    processor = Linux.function(linker, "sched_getcpu", FunctionDescriptor.of(Linux.INT));
  }

  public static Capability<Affinity> capability() {
    return CAPABILITY;
  }

  /** The processors that the calling thread may use. */
  public BitSet current() {
    Linux.Scratch scratch = Linux.scratch();
    MemorySegment mask = scratch.memory.asSlice(0, MASK_BYTES).fill((byte) 0);
    call(reader, scratch, CALLING_THREAD, mask, "read");
    return BitSet.valueOf(mask.toArray(ValueLayout.JAVA_BYTE));
  }

  /** Lets the calling thread run on these processors only. */
  public void pin(BitSet processors) {
    Linux.Scratch scratch = Linux.scratch();
    call(setter, scratch, CALLING_THREAD, mask(scratch, processors), "set");
  }

  /**
   * Lets a thread of this process run on these processors only.
   *
   * @param thread its number in {@code /proc/self/task}
   * @return false if it has ended or may not be moved
   */
  public boolean pin(int thread, BitSet processors) {
    Linux.Scratch scratch = Linux.scratch();
    try {
      call(setter, scratch, thread, mask(scratch, processors), "set");
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static MemorySegment mask(Linux.Scratch scratch, BitSet processors) {
    MemorySegment mask = scratch.memory.asSlice(0, MASK_BYTES).fill((byte) 0);
    byte[] bits = processors.toByteArray();
    if (bits.length > MASK_BYTES) {
      throw new IllegalArgumentException("no machine has processor " + (processors.length() - 1));
    }
    mask.asSlice(0, bits.length).copyFrom(MemorySegment.ofArray(bits));
    return mask;
  }

  /**
   * Lets all threads of this process run on these processors only: those that there are, of the JVM
   * too, and those that they will start.
   */
  public void pinProcess(BitSet processors) {
    pin(processors);
    Path tasks = Path.of("/proc/self/task");
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
      for (Path thread : threads) {
        pin(Integer.parseInt(thread.getFileName().toString()), processors);
      }
    } catch (IOException e) {
      throw FileErrors.failure("read", tasks, e);
    }
  }

  /** The processor that the calling thread runs on, at this moment. */
  public int processor() {
    Linux.Scratch scratch = Linux.scratch();
    try {
      return (int) processor.invokeExact(scratch.callState);
    } catch (Throwable e) {
      throw Linux.unexpected(e);
    }
  }

  /**
   * Moves the calling thread to another of the processors that it may use, which stay the same;
   * says whether there is another.
   */
  public boolean moveAway() {
    BitSet allowed = current();
    BitSet others = (BitSet) allowed.clone();
    others.clear(processor());
    if (others.isEmpty()) {
      return false;
    }
    pin(others);
    pin(allowed);
    return true;
  }

  /**
   * Moves the calling thread to one of the processors that it may use, which stay the same; says
   * whether it may use that one.
   */
  public boolean moveTo(int number) {
    BitSet allowed = current();
    if (!allowed.get(number)) {
      return false;
    }
    BitSet one = new BitSet();
    one.set(number);
    pin(one);
    pin(allowed);
    return true;
  }

  private static void call(
      MethodHandle function, Linux.Scratch scratch, int thread, MemorySegment mask, String what) {
    int result;
    try {
      result = (int) function.invokeExact(scratch.callState, thread, (long) MASK_BYTES, mask);
    } catch (Throwable e) {
      throw Linux.unexpected(e);
    }
    if (result < 0) {
      throw new IllegalArgumentException(
          "cannot %s the processors of this thread: error %d".formatted(what, scratch.errno()));
    }
  }
}
