package dev.tandem.nn.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.Seed;
import dev.tandem.nn.Engine;
import dev.tandem.nn.TensorBytes;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What tensors have is counted once for each piece of memory, as long as a tensor shows it. */
class StorageCountTest {

  private static final long ROW = 100 * Float.BYTES;

  private final Engine engine = Engine.start(1);

  @Test
  void viewsOfAPieceOfMemoryCountOnce() {
    try (Scope _ = new Scope()) {
      Tensor whole = Tensor.zeros(ScalarType.FLOAT, 7, 100).retain();
      assertEquals(7 * ROW, current());
      Tensor part;
      try (Scope _ = new Scope()) {
        whole.alias();
        whole.t().reshape(-1);
        part = whole.narrow(0, 3, 2).retain();
        whole.select(0, 6).unsqueeze(0);
        assertEquals(2 * 7 * ROW, current()); // the reshaped transpose is a copy
      }
      assertEquals(7 * ROW, current());
      whole.release();
      assertEquals(7 * ROW, current());
      part.retain().release();
      part.release();
    }
    assertEquals(0, current());
    assertEquals(2 * 7 * ROW, engine.memory().peak());
    engine.resetPeak();
    assertEquals(new TensorBytes(0, 0), engine.memory());
  }

  @Test
  void theMostIsThatOfAllAtATime() {
    try (Scope _ = new Scope()) {
      Tensor.empty(ScalarType.DOUBLE, 10);
      for (int i = 0; i < 3; i++) {
        try (Scope _ = new Scope()) {
          Tensor.empty(ScalarType.FLOAT, 100).add(1);
        }
      }
      assertEquals(new TensorBytes(80, 80 + 2 * ROW), engine.memory());
      engine.resetPeak();
      Tensor.empty(ScalarType.BYTE, 4);
      assertEquals(new TensorBytes(84, 84), engine.memory());
    }
  }

  @Test
  void memoryFromOutsideIsItsOwners() {
    try (Arena own = Arena.ofConfined();
        Arena counted = engine.arena();
        Scope _ = new Scope()) {
      MemorySegment outside = own.allocate(8 * ROW, 64);
      Tensor.of(outside, ScalarType.FLOAT, 8, 100).narrow(0, 4, 4).select(0, 1);
      assertEquals(0, current());
      MemorySegment memory = counted.allocate(ROW, 64);
      assertEquals(ROW, current());
      Tensor.of(memory, ScalarType.FLOAT, 100).fill_(1);
      assertEquals(ROW, current());
    }
    assertEquals(0, current());
  }

  @Test
  void tensorsWithoutMemoryAndAbsentResultsCountNothing() {
    try (Scope _ = new Scope()) {
      Tensor.empty(ScalarType.FLOAT, 0, 4);
      assertEquals(0, current());
      Tensor images = Tensor.zeros(ScalarType.FLOAT, 2, 3, 8, 8);
      Tensor weight = Tensor.zeros(ScalarType.FLOAT, 4, 3, 1, 1);
      long before = current();
      try (Scope _ = new Scope()) {
        Windows windows =
            new Windows(new long[] {1, 1}, new long[] {1, 1}, new long[2], new long[] {1, 1});
        Tensor output = Functions.convolution(images, weight, null, windows, 1);
        Functions.convolutionBackward(output, images, weight, null, windows, 1, Mask.WEIGHTS);
        assertEquals(before + 2 * 4 * 8 * 8 * 4 + 4 * 3 * 4, current());
      }
      assertEquals(before, current());
    }
  }

  @Test
  void aFailedCallLeavesNothing() {
    try (Scope _ = new Scope()) {
      Tensor square = Tensor.zeros(ScalarType.FLOAT, 3, 4);
      try {
        square.mm(square);
      } catch (EngineException expected) {
        // Two matrices that do not fit.
      }
    }
    assertEquals(0, current());
  }

  /** The table against a map, with addresses that collide. */
  @Test
  void theTableFindsEveryAddress() {
    Seed seed = TestSeed.of(StorageCountTest.class);
    SplittableRandom random = seed.random();
    StorageCount count = new StorageCount();
    Map<Long, Integer> uses = new HashMap<>();
    List<Long> shown = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      boolean more = shown.size() < 2 || random.nextInt(1000) < (i % 20_000 < 10_000 ? 600 : 400);
      if (more) {
        long address = 64L * (1 + random.nextInt(2_000));
        count.show(address, address);
        uses.merge(address, 1, Integer::sum);
        shown.add(address);
      } else {
        int which = random.nextInt(shown.size());
        long address = shown.get(which);
        shown.set(which, shown.getLast());
        shown.removeLast();
        count.hide(address);
        uses.computeIfPresent(address, (_, n) -> n == 1 ? null : n - 1);
      }
      if (i % 1000 == 0) {
        assertEquals(uses.keySet().stream().mapToLong(each -> each).sum(), count.current());
      }
    }
    shown.forEach(count::hide);
    assertEquals(0, count.current());
  }

  private long current() {
    return engine.memory().current();
  }
}
