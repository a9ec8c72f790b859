package dev.tandem.comm.reduce;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * By the vector unit. Loops run over int offsets: with long ones the compiler leaves the bounds
 * checks inside.
 */
final class VectorFloatSum implements FloatSum {

  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int STEP = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat ELEMENT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  @Override
  public void add(MemorySegment left, MemorySegment right, MemorySegment target, int bytes) {
    int offset = 0;
    for (; offset <= bytes - STEP; offset += STEP) {
      FloatVector a = FloatVector.fromMemorySegment(SPECIES, left, offset, ORDER);
      FloatVector b = FloatVector.fromMemorySegment(SPECIES, right, offset, ORDER);
      a.add(b).intoMemorySegment(target, offset, ORDER);
    }
    for (; offset < bytes; offset += Float.BYTES) {
      target.set(ELEMENT, offset, left.get(ELEMENT, offset) + right.get(ELEMENT, offset));
    }
  }

  @Override
  public void divide(MemorySegment data, int bytes, int divisor) {
    int offset = 0;
    for (; offset <= bytes - STEP; offset += STEP) {
      FloatVector a = FloatVector.fromMemorySegment(SPECIES, data, offset, ORDER);
      a.div(divisor).intoMemorySegment(data, offset, ORDER);
    }
    for (; offset < bytes; offset += Float.BYTES) {
      data.set(ELEMENT, offset, data.get(ELEMENT, offset) / divisor);
    }
  }
}
