package dev.tandem.comm.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Sums on native memory go by vectors, those on the heap by arrays: the bits must be the same. */
class FloatSumTest {

  private static final float[] SPECIAL = {
    0f, -0f, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.MIN_VALUE, 1e38f
  };

  @Test
  void vectorsBecomeFast() throws InterruptedException {
    assertTrue(FloatSums.awaitReady().isPresent(), "tests run with the module");
  }

  @Test
  void vectorsAndArraysGiveTheSameBits() throws InterruptedException {
    assertTrue(FloatSums.awaitReady().isPresent());
    SplittableRandom random = TestSeed.of(FloatSumTest.class).random();
    for (int round = 0; round < 300; round++) {
      ReduceOp op = random.nextBoolean() ? ReduceOp.SUM : ReduceOp.AVERAGE;
      int ranks = random.nextInt(1, 6);
      int count = random.nextInt(0, 10_000);
      int result = random.nextInt(ranks);
      List<MemorySegment> heap = new ArrayList<>();
      List<MemorySegment> natives = new ArrayList<>();
      try (Arena arena = Arena.ofConfined()) {
        for (int rank = 0; rank < ranks; rank++) {
          float[] data = data(random, count);
          heap.add(MemorySegment.ofArray(data));
          // At any address that floats may have.
          MemorySegment copy = arena.allocate(4L * count + 64, 64);
          natives.add(copy.asSlice(4L * random.nextInt(16), 4L * count).copyFrom(heap.getLast()));
        }
        new Reduction(DType.FLOAT32, op).reduce(heap, heap.get(result));
        new Reduction(DType.FLOAT32, op).reduce(natives, natives.get(result));
        String what = "%s of %d elements of %d ranks".formatted(op, count, ranks);
        for (int i = 0; i < count; i++) {
          assertEquals(bits(heap.get(result), i), bits(natives.get(result), i), what);
        }
      }
    }
  }

  @Test
  void aSumThatGoesToBothInputsIsTheSame() throws InterruptedException {
    FloatSum vectors = FloatSums.awaitReady().orElseThrow();
    SplittableRandom random = TestSeed.of(FloatSumTest.class).random();
    for (int round = 0; round < 100; round++) {
      int count = random.nextInt(0, 10_000);
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment expected = arena.allocate(4L * count + 4, 4);
        MemorySegment[] inputs = new MemorySegment[2];
        for (int i = 0; i < inputs.length; i++) {
          MemorySegment room = arena.allocate(4L * count + 64, 64);
          inputs[i] = room.asSlice(4L * random.nextInt(16), 4L * count);
          inputs[i].copyFrom(MemorySegment.ofArray(data(random, count)));
        }
        expected.copyFrom(inputs[0]);
        vectors.add(expected, inputs[1], 4 * count);
        int target = random.nextInt(2);
        new Reduction(DType.FLOAT32, ReduceOp.SUM)
            .reduce(inputs, new long[2], 4L * count, inputs[target], 0, inputs[1 - target], 0);
        for (int i = 0; i < count; i++) {
          assertEquals(bits(expected, i), bits(inputs[0], i), "element " + i + " of " + count);
          assertEquals(bits(expected, i), bits(inputs[1], i), "element " + i + " of " + count);
        }
      }
    }
  }

  private static float[] data(SplittableRandom random, int count) {
    float[] data = new float[count];
    for (int i = 0; i < count; i++) {
      data[i] =
          random.nextInt(20) == 0
              ? SPECIAL[random.nextInt(SPECIAL.length)]
              : (float) random.nextDouble(-1e6, 1e6);
    }
    return data;
  }

  /** Which of two NaNs comes out of a sum is the compiler's choice. */
  private static int bits(MemorySegment floats, long index) {
    return Float.floatToIntBits(floats.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index));
  }
}
