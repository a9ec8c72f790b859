package dev.tandem.nn.internal;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** Between bfloat16 in memory, the upper half of a float32, and float32 in the vector unit. */
final class Bfloat16Lanes {

  static final ByteOrder ORDER = ByteOrder.nativeOrder();
  static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;

  /** As many as there are floats, in half the bits. */
  static final VectorSpecies<Short> SHORTS =
      VectorSpecies.of(short.class, VectorShape.forBitSize(FLOATS.vectorBitSize() / 2));

  /** As many bits as the floats have: twice as many numbers. */
  static final VectorSpecies<Short> WIDE =
      VectorSpecies.of(short.class, VectorShape.forBitSize(FLOATS.vectorBitSize()));

  private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;

  private static final int HALF = 16;

  /** Half of the last bit that stays, less one: with that bit added, ties go to the even one. */
  private static final int ROUNDING = 0x7FFF;

  private Bfloat16Lanes() {}

  static FloatVector load(MemorySegment memory, int offset) {
    return widen(ShortVector.fromMemorySegment(SHORTS, memory, offset, ORDER), 0);
  }

  /** Of a vector with twice as many numbers one half, the lower being part 0. */
  static FloatVector widen(ShortVector halves, int part) {
    IntVector bits = (IntVector) halves.convertShape(VectorOperators.S2I, INTS, part);
    return bits.lanewise(VectorOperators.LSHL, HALF).reinterpretAsFloats();
  }

  /** Rounds to the nearest, as the engine does. */
  static void store(FloatVector values, MemorySegment memory, int offset) {
    IntVector bits = values.reinterpretAsInts();
    IntVector lastBit = bits.lanewise(VectorOperators.LSHR, HALF).and(1);
    IntVector rounded = bits.add(lastBit).add(ROUNDING).lanewise(VectorOperators.LSHR, HALF);
    ShortVector halves = (ShortVector) rounded.convertShape(VectorOperators.I2S, SHORTS, 0);
    halves.intoMemorySegment(memory, offset, ORDER);
  }
}
