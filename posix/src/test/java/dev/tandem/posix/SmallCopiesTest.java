package dev.tandem.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

final class SmallCopiesTest {

  @Test
  void copiesLikeTheCarefulCopyBetweenAllKindsOfMemory() {
    RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
    byte[] data = new byte[300];
    random.nextBytes(data);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment nativeData = arena.allocateFrom(ValueLayout.JAVA_BYTE, data);
      MemorySegment[] sources = {
        nativeData, nativeData.asReadOnly(), MemorySegment.ofArray(data.clone())
      };
      for (MemorySegment source : sources) {
        for (MemorySegment target :
            new MemorySegment[] {arena.allocate(300), MemorySegment.ofArray(new byte[300])}) {
          for (int bytes : new int[] {0, 1, 4, 63, 64, 65, 200}) {
            target.fill((byte) 0);
            byte[] expected = new byte[300];
            System.arraycopy(data, 7, expected, 90, bytes);

            SmallCopies.copy(source, 7, target, 90, bytes);

            assertArrayEquals(expected, target.toArray(ValueLayout.JAVA_BYTE));
          }
        }
      }
    }
  }

  @Test
  void refusesWhatIsOutsideDeadOrReadOnly() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(64);
      MemorySegment to = arena.allocate(64);
      assertThrows(IndexOutOfBoundsException.class, () -> SmallCopies.copy(from, 1, to, 0, 64));
      assertThrows(IndexOutOfBoundsException.class, () -> SmallCopies.copy(from, 0, to, 1, 64));
      assertThrows(IndexOutOfBoundsException.class, () -> SmallCopies.copy(from, -1, to, 0, 8));
      assertThrows(IndexOutOfBoundsException.class, () -> SmallCopies.copy(from, 0, to, 0, -1));
      assertThrows(
          IllegalArgumentException.class, () -> SmallCopies.copy(from, 0, to.asReadOnly(), 0, 8));
      MemorySegment dead;
      try (Arena shortLived = Arena.ofConfined()) {
        dead = shortLived.allocate(64);
      }
      assertThrows(IllegalStateException.class, () -> SmallCopies.copy(dead, 0, to, 0, 8));
    }
  }
}
