package dev.tandem.nn.internal;

import dev.tandem.core.DType;
import dev.tandem.core.Region;
import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.ParameterSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;

/**
 * The parameters and buffers before the first step. Weights are drawn after He et al.: uniform,
 * with a spread that keeps the signal's size from layer to layer.
 *
 * <p>Drawn in Java and from the parameter's name, so that the bits depend neither on the engine's
 * version nor on what other parameters there are.
 */
public final class FirstValues {

  private FirstValues() {}

  /** Fills a parameter or buffer, whose elements are FLOAT32 or FLOAT64. */
  public static void fill(TensorView view, ParameterSpec parameter, Seed seed) {
    fill(view, parameter, Region.all(parameter.shape()), seed);
  }

  /**
   * Fills a region of a parameter or buffer with what the whole one would have there.
   *
   * @param parameter the whole one
   */
  public static void fill(TensorView view, ParameterSpec parameter, Region region, Seed seed) {
    switch (parameter.start()) {
      case ZEROS -> view.data().fill((byte) 0);
      case ONES -> fill(view, 0, view.shape().elements(), () -> 1);
      case DRAWN -> {
        Seed own = seed.derive("first values").derive(parameter.name());
        double bound = Math.sqrt(6.0 / parameter.fanIn());
        region.forEachRun(
            (whole, local, length) -> {
              SplittableRandom random = own.random(whole);
              fill(view, local, length, () -> bound * (2 * random.nextDouble() - 1));
            });
      }
    }
  }

  private static void fill(TensorView view, long from, long length, DoubleSupplier values) {
    MemorySegment data = view.data();
    for (long i = from; i < from + length; i++) {
      double value = values.getAsDouble();
      if (view.dtype() == DType.FLOAT64) {
        data.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
      } else {
        data.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
      }
    }
  }
}
