package dev.tandem.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CopyThreadsTest {

  /** Some longer than what one thread takes at a time, some empty. */
  private static final long[] LENGTHS = {0, 1, 4095, 3 << 20, 0, (13 << 20) + 7, 64, 6 << 20};

  private final SplittableRandom random = TestSeed.of(getClass()).random();

  private MemorySegment filled(Arena arena, long bytes) {
    MemorySegment memory = arena.allocate(Math.max(8, bytes + 8), 8);
    for (long at = 0; at + 8 <= memory.byteSize(); at += 8) {
      memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, random.nextLong());
    }
    return memory.asSlice(0, bytes);
  }

  private void assertCopies(CopyThreads threads, Arena from, Arena to) {
    List<CopyThreads.Copy> copies = new ArrayList<>();
    for (long length : LENGTHS) {
      copies.add(new CopyThreads.Copy(filled(from, length), filled(to, length)));
    }
    threads.copy(copies);
    for (CopyThreads.Copy copy : copies) {
      assertEquals(-1, copy.from().mismatch(copy.to()));
    }
  }

  @Test
  void everyByteArrivesWhateverTheNumberOfThreads() {
    for (int helpers : new int[] {0, 1, 3}) {
      try (CopyThreads threads = new CopyThreads(helpers);
          Arena arena = Arena.ofShared()) {
        for (int again = 0; again < 3; again++) {
          assertCopies(threads, arena, arena);
        }
        threads.copy(List.of());
      }
    }
  }

  @Test
  void memoryOfTheCallingThreadAloneIsCopiedByIt() {
    try (CopyThreads threads = new CopyThreads(3);
        Arena own = Arena.ofConfined();
        Arena shared = Arena.ofShared()) {
      assertCopies(threads, own, shared);
    }
  }

  @Test
  void whatGoesWrongInAnyThreadIsThrown() {
    try (CopyThreads threads = new CopyThreads(3);
        Arena arena = Arena.ofShared()) {
      MemorySegment readOnly = arena.allocate(1).asReadOnly();
      List<CopyThreads.Copy> copies = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        copies.add(new CopyThreads.Copy(filled(arena, 1), readOnly));
      }
      assertThrows(RuntimeException.class, () -> threads.copy(copies));
    }
  }
}
