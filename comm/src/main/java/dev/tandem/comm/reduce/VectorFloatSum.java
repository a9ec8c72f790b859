package dev.tandem.comm.reduce;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * By the vector unit. Loops run over int offsets: with long ones the compiler leaves the bounds
 * checks inside. {@link #add} is long on purpose: what another core has written takes long to come,
 * many loads are on their way at once; and the compiler does not copy so long a method into every
 * caller, which would take it a second each time.
 */
final class VectorFloatSum implements FloatSum {

  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int STEP = SPECIES.vectorByteSize();
  private static final int UNROLLED = 8 * STEP;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat ELEMENT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  @Override
  public void add(MemorySegment target, MemorySegment source, int bytes) {
    int offset = 0;
    for (; offset <= bytes - UNROLLED; offset += UNROLLED) {
      FloatVector s0 = load(source, offset);
      FloatVector s1 = load(source, offset + STEP);
      FloatVector s2 = load(source, offset + 2 * STEP);
      FloatVector s3 = load(source, offset + 3 * STEP);
      FloatVector s4 = load(source, offset + 4 * STEP);
      FloatVector s5 = load(source, offset + 5 * STEP);
      FloatVector s6 = load(source, offset + 6 * STEP);
      FloatVector s7 = load(source, offset + 7 * STEP);
      store(load(target, offset).add(s0), target, offset);
      store(load(target, offset + STEP).add(s1), target, offset + STEP);
      store(load(target, offset + 2 * STEP).add(s2), target, offset + 2 * STEP);
      store(load(target, offset + 3 * STEP).add(s3), target, offset + 3 * STEP);
      store(load(target, offset + 4 * STEP).add(s4), target, offset + 4 * STEP);
      store(load(target, offset + 5 * STEP).add(s5), target, offset + 5 * STEP);
      store(load(target, offset + 6 * STEP).add(s6), target, offset + 6 * STEP);
      store(load(target, offset + 7 * STEP).add(s7), target, offset + 7 * STEP);
    }
    for (; offset <= bytes - STEP; offset += STEP) {
      store(load(target, offset).add(load(source, offset)), target, offset);
    }
    for (; offset < bytes; offset += Float.BYTES) {
      target.set(ELEMENT, offset, target.get(ELEMENT, offset) + source.get(ELEMENT, offset));
    }
  }

  @Override
  public void divide(MemorySegment data, int bytes, int divisor) {
    int offset = 0;
    for (; offset <= bytes - STEP; offset += STEP) {
      store(load(data, offset).div(divisor), data, offset);
    }
    for (; offset < bytes; offset += Float.BYTES) {
      data.set(ELEMENT, offset, data.get(ELEMENT, offset) / divisor);
    }
  }

  private static FloatVector load(MemorySegment source, int offset) {
    return FloatVector.fromMemorySegment(SPECIES, source, offset, ORDER);
  }

  private static void store(FloatVector vector, MemorySegment target, int offset) {
    vector.intoMemorySegment(target, offset, ORDER);
  }
}
