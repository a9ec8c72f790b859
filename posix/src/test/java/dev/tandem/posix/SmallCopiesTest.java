package dev.tandem.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

final class SmallCopiesTest {

  private static final int BYTES = 300;
  private static final int[] LENGTHS = {0, 1, 4, 63, 64, 65, 103};

  @Test
  void gathersAndScattersAllKindsOfMemory() {
    byte[] data = new byte[BYTES];
    RandomGenerator.of("L64X128MixRandom").nextBytes(data);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment nativeData = arena.allocateFrom(ValueLayout.JAVA_BYTE, data);
      MemorySegment heapData = MemorySegment.ofArray(data.clone());
      for (MemorySegment source : List.of(nativeData, nativeData.asReadOnly(), heapData)) {
        for (boolean onHeap : new boolean[] {false, true}) {
          MemorySegment whole = memory(arena, BYTES, onHeap);
          gather(parts(source), whole);
          assertArrayEquals(data, whole.toArray(ValueLayout.JAVA_BYTE));

          MemorySegment back = memory(arena, BYTES, onHeap);
          scatter(source, parts(back));
          assertArrayEquals(data, back.toArray(ValueLayout.JAVA_BYTE));
        }
      }
    }
  }

  private static void gather(List<MemorySegment> tensors, MemorySegment target) {
    SmallCopies copies = new SmallCopies();
    copies.take(tensors);
    copies.gather(target);
  }

  private static void scatter(MemorySegment source, List<MemorySegment> tensors) {
    SmallCopies copies = new SmallCopies();
    copies.take(tensors);
    copies.scatter(source);
  }

  @Test
  void noticesThatATensorDiedSinceItWasTaken() {
    SmallCopies copies = new SmallCopies();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment whole = arena.allocate(128);
      try (Arena shortLived = Arena.ofConfined()) {
        copies.take(List.of(arena.allocate(64), shortLived.allocate(64)));
        copies.gather(whole);
      }
      assertThrows(IllegalStateException.class, () -> copies.scatter(whole));
    }
  }

  @Test
  void takesOtherTensorsThanBefore() {
    SmallCopies copies = new SmallCopies();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment whole = arena.allocate(16);
      copies.take(List.of(arena.allocate(8), arena.allocate(8), arena.allocate(8)));
      copies.forget();
      MemorySegment tensor = arena.allocateFrom(ValueLayout.JAVA_LONG, 7);
      copies.take(List.of(tensor, MemorySegment.ofArray(new long[] {8})));
      assertEquals(16, copies.bytes());
      copies.gather(whole);
      assertArrayEquals(new long[] {7, 8}, whole.toArray(ValueLayout.JAVA_LONG));
    }
  }

  private static MemorySegment memory(Arena arena, int bytes, boolean onHeap) {
    return onHeap ? MemorySegment.ofArray(new byte[bytes]) : arena.allocate(bytes);
  }

  private static List<MemorySegment> parts(MemorySegment whole) {
    List<MemorySegment> parts = new ArrayList<>();
    long at = 0;
    for (int length : LENGTHS) {
      parts.add(whole.asSlice(at, length));
      at += length;
    }
    return parts;
  }

  @Test
  void refusesWhatIsOutsideDeadOrReadOnly() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment large = arena.allocate(64);
      MemorySegment small = arena.allocate(63);
      List<MemorySegment> parts = List.of(arena.allocate(32), arena.allocate(32));
      assertThrows(IndexOutOfBoundsException.class, () -> gather(parts, small));
      assertThrows(IndexOutOfBoundsException.class, () -> scatter(small, parts));
      assertThrows(IllegalArgumentException.class, () -> gather(parts, large.asReadOnly()));
      assertThrows(
          IllegalArgumentException.class, () -> scatter(large, List.of(small.asReadOnly())));
      MemorySegment dead;
      try (Arena shortLived = Arena.ofConfined()) {
        dead = shortLived.allocate(64);
      }
      assertThrows(IllegalStateException.class, () -> gather(List.of(dead), large));
      assertThrows(IllegalStateException.class, () -> scatter(dead, parts));
    }
  }
}
