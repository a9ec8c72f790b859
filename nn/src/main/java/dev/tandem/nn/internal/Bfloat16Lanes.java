package dev.tandem.nn.internal;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Between bfloat16 in memory, the upper half of a float32, and float32 in the vector unit.
 *
 * <p>A vector of bfloat16 becomes two of float32, of its numbers with even and with odd places: so
 * each number stays where its bits are, which takes a shift or a mask instead of moving it across
 * the vector.
 */
final class Bfloat16Lanes {

  static final ByteOrder ORDER = ByteOrder.nativeOrder();
  static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;

  /** As many bits as the floats have: twice as many numbers. */
  static final VectorSpecies<Short> HALVES = ShortVector.SPECIES_PREFERRED;

  /** Bytes of a vector. */
  static final int BYTES = FLOATS.vectorByteSize();

  private static final VectorSpecies<Integer> PAIRS = IntVector.SPECIES_PREFERRED;

  private static final int HALF = 16;
  private static final int UPPER = 0xFFFF0000;

  /** Half of the last bit that stays, less one: with that bit added, ties go to the even one. */
  private static final int ROUNDING = 0x7FFF;

  private Bfloat16Lanes() {}

  /** Two numbers in each lane, that with the even place in its lower half. */
  static IntVector load(MemorySegment memory, int offset) {
    return IntVector.fromMemorySegment(PAIRS, memory, offset, ORDER);
  }

  static FloatVector even(IntVector pairs) {
    return pairs.lanewise(VectorOperators.LSHL, HALF).reinterpretAsFloats();
  }

  static FloatVector odd(IntVector pairs) {
    return pairs.and(UPPER).reinterpretAsFloats();
  }

  /** Rounds to the nearest, as the engine does. */
  static void store(FloatVector even, FloatVector odd, MemorySegment memory, int offset) {
    IntVector lower = rounded(even).lanewise(VectorOperators.LSHR, HALF);
    rounded(odd).and(UPPER).or(lower).intoMemorySegment(memory, offset, ORDER);
  }

  /** With the right upper half. */
  private static IntVector rounded(FloatVector values) {
    IntVector bits = values.reinterpretAsInts();
    return bits.lanewise(VectorOperators.LSHR, HALF).and(1).add(bits).add(ROUNDING);
  }
}
