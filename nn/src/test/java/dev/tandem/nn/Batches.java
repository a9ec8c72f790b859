package dev.tandem.nn;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.data.glyphs.Glyph;
import dev.tandem.data.glyphs.GlyphDigits;
import dev.tandem.nn.models.DigitsNetwork;
import dev.tandem.nn.spec.NetworkSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** Images and labels for tests, in memory of the garbage collector's. */
record Batches(MemorySegment images, MemorySegment labels, int count, long imageBytes) {

  /** Noise with labels that mean nothing. */
  static Batches random(Seed seed, NetworkSpec spec, DType dtype, int count) {
    Batches batches = empty(spec.input(), dtype, count);
    SplittableRandom random = seed.random();
    for (long i = 0; i < spec.input().elements() * count; i++) {
      double value = 2 * random.nextDouble() - 1;
      if (dtype == DType.FLOAT64) {
        batches.images.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
      } else {
        batches.images.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
      }
    }
    for (int i = 0; i < count; i++) {
      batches.labels.setAtIndex(ValueLayout.JAVA_LONG, i, random.nextInt(spec.classes()));
    }
    return batches;
  }

  /** Digits, normalised. */
  static Batches glyphs(Seed seed, int count) {
    Batches batches = empty(DigitsNetwork.spec().input(), DType.FLOAT32, count);
    long at = 0;
    for (int i = 0; i < count; i++) {
      Glyph glyph = GlyphDigits.draw(seed, i);
      for (byte pixel : glyph.pixels()) {
        float value = (pixel & 0xFF) / 255f;
        batches.images.setAtIndex(
            ValueLayout.JAVA_FLOAT,
            at++,
            (value - DigitsNetwork.PIXEL_MEAN) / DigitsNetwork.PIXEL_DEVIATION);
      }
      batches.labels.setAtIndex(ValueLayout.JAVA_LONG, i, glyph.label());
    }
    return batches;
  }

  /** A part of these images: a view, not a copy. */
  Batches part(int first, int size) {
    return new Batches(
        images.asSlice(first * imageBytes, size * imageBytes),
        labels.asSlice((long) first * Long.BYTES, (long) size * Long.BYTES),
        size,
        imageBytes);
  }

  Samples samples() {
    return new Samples(images, labels, count);
  }

  /** The elements of a view as doubles. */
  static double[] numbers(TensorView view) {
    if (view.dtype() == DType.FLOAT64) {
      return view.data().toArray(ValueLayout.JAVA_DOUBLE);
    }
    float[] values = view.data().toArray(ValueLayout.JAVA_FLOAT);
    double[] numbers = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      numbers[i] = values[i];
    }
    return numbers;
  }

  double train(Network network) {
    return network.forwardBackward(images, labels, count);
  }

  Evaluation evaluate(Network network) {
    return network.evaluate(images, labels, count);
  }

  private static Batches empty(Shape sample, DType dtype, int count) {
    long imageBytes = sample.elements() * dtype.bytes();
    return new Batches(
        Arena.ofAuto().allocate(imageBytes * count, 64),
        Arena.ofAuto().allocate((long) Long.BYTES * count, 64),
        count,
        imageBytes);
  }
}
