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
  private static final int UNROLLED = 4 * STEP;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat ELEMENT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  @Override
  public void addTo(MemorySegment target, MemorySegment source, int bytes) {
    int offset = 0;
    // What another core has written takes long to come: several loads are on their way at once.
    for (; offset <= bytes - UNROLLED; offset += UNROLLED) {
      FloatVector s0 = load(source, offset);
      FloatVector s1 = load(source, offset + STEP);
      FloatVector s2 = load(source, offset + 2 * STEP);
      FloatVector s3 = load(source, offset + 3 * STEP);
      store(load(target, offset).add(s0), target, offset);
      store(load(target, offset + STEP).add(s1), target, offset + STEP);
      store(load(target, offset + 2 * STEP).add(s2), target, offset + 2 * STEP);
      store(load(target, offset + 3 * STEP).add(s3), target, offset + 3 * STEP);
    }
    add(target, source, target, offset, bytes);
  }

  @Override
  public void addBefore(MemorySegment source, MemorySegment target, int bytes) {
    int offset = 0;
    // What another core has written takes long to come: several loads are on their way at once.
    for (; offset <= bytes - UNROLLED; offset += UNROLLED) {
      FloatVector s0 = load(source, offset);
      FloatVector s1 = load(source, offset + STEP);
      FloatVector s2 = load(source, offset + 2 * STEP);
      FloatVector s3 = load(source, offset + 3 * STEP);
      store(s0.add(load(target, offset)), target, offset);
      store(s1.add(load(target, offset + STEP)), target, offset + STEP);
      store(s2.add(load(target, offset + 2 * STEP)), target, offset + 2 * STEP);
      store(s3.add(load(target, offset + 3 * STEP)), target, offset + 3 * STEP);
    }
    add(source, target, target, offset, bytes);
  }

  private static FloatVector load(MemorySegment source, int offset) {
    return FloatVector.fromMemorySegment(SPECIES, source, offset, ORDER);
  }

  private static void store(FloatVector vector, MemorySegment target, int offset) {
    vector.intoMemorySegment(target, offset, ORDER);
  }

  @Override
  public void add(MemorySegment left, MemorySegment right, MemorySegment target, int bytes) {
    add(left, right, target, 0, bytes);
  }

  private static void add(
      MemorySegment left, MemorySegment right, MemorySegment target, int from, int bytes) {
    int offset = from;
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
