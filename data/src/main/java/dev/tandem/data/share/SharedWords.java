package dev.tandem.data.share;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Numbers in memory that processes share, read and written in order. Any thread. */
final class SharedWords {

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private SharedWords() {}

  static long read(MemorySegment memory, long at) {
    return (long) LONG.getAcquire(memory, at);
  }

  static void write(MemorySegment memory, long at, long value) {
    LONG.setRelease(memory, at, value);
  }

  static boolean replace(MemorySegment memory, long at, long expected, long value) {
    return LONG.compareAndSet(memory, at, expected, value);
  }

  static long add(MemorySegment memory, long at, long value) {
    return (long) LONG.getAndAdd(memory, at, value);
  }

  /** Makes a number no smaller than this. */
  static void raise(MemorySegment memory, long at, long value) {
    long before = read(memory, at);
    while (before < value && !replace(memory, at, before, value)) {
      before = read(memory, at);
    }
  }

  static int readInt(MemorySegment memory, long at) {
    return (int) INT.getAcquire(memory, at);
  }

  static void writeInt(MemorySegment memory, long at, int value) {
    INT.setRelease(memory, at, value);
  }

  static boolean replaceInt(MemorySegment memory, long at, int expected, int value) {
    return INT.compareAndSet(memory, at, expected, value);
  }

  static int addInt(MemorySegment memory, long at, int value) {
    return (int) INT.getAndAdd(memory, at, value);
  }
}
