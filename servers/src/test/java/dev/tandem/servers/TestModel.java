package dev.tandem.servers;

import dev.tandem.core.Seed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;

/** Parameters without a network: gradients are numbers that a seed makes up. */
final class TestModel {

  static final double RATE = 0.05;
  private static final Seed SEED = new Seed(11);

  final int elements;
  final MemorySegment parameters;
  final MemorySegment velocity;
  final MemorySegment gradient;

  TestModel(int elements) {
    this.elements = elements;
    parameters = Arena.ofAuto().allocate((long) elements * Float.BYTES, 64);
    velocity = Arena.ofAuto().allocate((long) elements * Float.BYTES, 64);
    gradient = Arena.ofAuto().allocate((long) elements * Float.BYTES, 64);
    fill(parameters, SEED.derive("parameters").random());
  }

  private static void fill(MemorySegment values, SplittableRandom random) {
    for (long i = 0; i < values.byteSize() / Float.BYTES; i++) {
      values.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextDouble(-1, 1));
    }
  }

  /** Momentum with decay on all parameters but the last third, of which the very last is frozen. */
  static MomentumRule rule(int elements) {
    long decaying = 2L * elements / 3;
    return new MomentumRule(
        0.9,
        1e-3,
        true,
        List.of(
            new MomentumRule.Span(0, decaying, true),
            new MomentumRule.Span(decaying, Math.max(0, elements - decaying - 1), false)));
  }

  /** The gradient that a worker has in a step; it depends on nothing else. */
  MemorySegment gradient(int worker, long step) {
    fill(gradient, SEED.derive("gradient").derive(worker).derive(step).random());
    return gradient;
  }

  List<MemorySegment> slots() {
    return List.of(velocity);
  }

  float[] values() {
    return parameters.toArray(ValueLayout.JAVA_FLOAT);
  }

  float[] velocities() {
    return velocity.toArray(ValueLayout.JAVA_FLOAT);
  }
}
