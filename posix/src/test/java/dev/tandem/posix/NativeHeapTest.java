package dev.tandem.posix;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class NativeHeapTest {

  private static final long BLOCK = 16 << 20;

  private static final MethodHandle ALLOCATE =
      function("malloc", FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
  private static final MethodHandle FREE =
      function("free", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));

  @Test
  void freedMemoryIsUsedAgainWithoutTheSystem() throws Throwable {
    NativeHeap heap =
        switch (NativeHeap.capability()) {
          case Capability.Present<NativeHeap>(NativeHeap present) -> present;
          case Capability.Missing<NativeHeap>(String reason) -> abort(reason);
        };
    assertTrue(heap.keepFreedMemory());
    touchBlock();
    long before = minorFaults();
    for (int i = 0; i < 10; i++) {
      touchBlock();
    }
    long faults = minorFaults() - before;
    // Given back each time, they would be 10 x 4,096 pages.
    assertTrue(faults < 1_000, faults + " page faults");
  }

  private static void touchBlock() throws Throwable {
    MemorySegment block = (MemorySegment) ALLOCATE.invokeExact(BLOCK);
    NativeCalls.sized(block, BLOCK).fill((byte) 1);
    FREE.invokeExact(block);
  }

  /** Pages that this thread was given so far. */
  private static long minorFaults() throws IOException {
    String status = Files.readString(Path.of("/proc/thread-self/stat"));
    String afterName = status.substring(status.lastIndexOf(')') + 2);
    return Long.parseLong(afterName.split(" ", -1)[7]);
  }

  @SuppressWarnings("restricted") // signatures of the C standard
  private static MethodHandle function(String name, FunctionDescriptor descriptor) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
  }
}
