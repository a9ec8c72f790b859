package dev.tandem.nn;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/**
 * The parameters before the first step, after He et al.: uniform, with a spread that keeps the
 * signal's size from layer to layer.
 *
 * <p>Drawn in Java and from the parameter's name, so that the bits depend neither on the engine's
 * version nor on what other parameters there are.
 */
final class FirstValues {

  private FirstValues() {}

  static void fill(TensorView view, ParameterSpec parameter, Seed seed) {
    MemorySegment data = view.data();
    if (parameter.fanIn() == 0) {
      data.fill((byte) 0);
      return;
    }
    SplittableRandom random = seed.derive("first values").derive(parameter.name()).random();
    double bound = Math.sqrt(6.0 / parameter.fanIn());
    long elements = view.shape().elements();
    for (long i = 0; i < elements; i++) {
      double value = bound * (2 * random.nextDouble() - 1);
      if (view.dtype() == DType.FLOAT64) {
        data.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
      } else {
        data.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
      }
    }
  }
}
