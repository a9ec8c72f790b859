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

  private static final int BLOCKS = 3;
  private static final long BLOCK_BYTES = 12 << 20;
  private static final long PAGES = BLOCKS * BLOCK_BYTES / 4_096;
  private static final int ROUNDS = 20;

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
    touchBlocks();
    int reused = 0;
    for (int i = 0; i < ROUNDS; i++) {
      long before = minorFaults();
      touchBlocks();
      if (minorFaults() - before < PAGES / 10) {
        reused++;
      }
    }
    // Another thread of the JVM may take a piece of the freed memory, so that the next block lies
    // elsewhere; given back to the system, not one would be reused.
    assertTrue(reused > ROUNDS / 2, reused + " of " + ROUNDS + " times without the system");
  }

  /** Several blocks at once: what is left of one alone the C library keeps by itself. */
  private static void touchBlocks() throws Throwable {
    MemorySegment[] blocks = new MemorySegment[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
      blocks[i] = (MemorySegment) ALLOCATE.invokeExact(BLOCK_BYTES);
      NativeCalls.sized(blocks[i], BLOCK_BYTES).fill((byte) 1);
    }
    for (MemorySegment block : blocks) {
      FREE.invokeExact(block);
    }
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
