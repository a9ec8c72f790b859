package dev.tandem.nn.internal;

import static dev.tandem.nn.internal.Bfloat16Lanes.FLOATS;
import static dev.tandem.nn.internal.Bfloat16Lanes.SHORTS;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.LocalResponseNorm;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * {@link LocalResponseNormLayer} over windows of bfloat16 images with an exponent of 3/4, by the
 * vector unit; see {@link VectorUnit}. Everything between reading x and writing y is float32 in
 * registers, so s keeps what bfloat16 would round away. Saves s^-beta and s^(-beta-1).
 *
 * <p>Used by one thread.
 */
final class VectorResponseNorm {

  /** The only exponent: a power of -3/4 is that of -1/4 three times. */
  static final double BETA = 0.75;

  /** What a quarter of the bits of a number is taken from for a first guess of its -1/4th power. */
  private static final int GUESS = 0x4F600000;

  /** Each doubles the digits that are right, from one at first to all of float32. */
  private static final int REFINEMENTS = 3;

  private static final int BYTES = Short.BYTES;

  private final float k;
  private final float share;
  private final int half;
  private final int channels;
  private final int lines;
  private final int columns;

  /** Of one sample, in float32: what is summed over windows, and its sums along lines. */
  private final float[] shares;

  private final float[] sums;

  VectorResponseNorm(LocalResponseNorm spec, Shape input) {
    k = (float) spec.k();
    share = (float) (spec.alpha() / ((double) spec.size() * spec.size()));
    half = spec.size() / 2;
    channels = Math.toIntExact(input.extents().get(0));
    lines = Math.toIntExact(input.extents().get(1));
    columns = Math.toIntExact(input.extents().get(2));
    shares = new float[Math.toIntExact(input.elements())];
    sums = new float[shares.length];
  }

  Layer.Pass forward(Tensor images) {
    Tensor input = Torch.fast(images);
    Tensor output = torch.empty_like(input);
    Tensor factors = torch.empty_like(input);
    Tensor ratios = torch.empty_like(input);
    MemorySegment from = Torch.memory(input);
    MemorySegment to = Torch.memory(output);
    MemorySegment factorsMemory = Torch.memory(factors);
    MemorySegment ratiosMemory = Torch.memory(ratios);
    for (long sample = 0; sample < input.size(0); sample++) {
      MemorySegment image = image(from, sample);
      squares(image);
      sumLines();
      forward(image, image(to, sample), image(factorsMemory, sample), image(ratiosMemory, sample));
    }
    return new Layer.Pass(images, output, factors, ratios);
  }

  Tensor backward(Layer.Pass pass, Tensor outputGradient) {
    Tensor gradient = Torch.fast(outputGradient);
    Tensor result = torch.empty_like(gradient);
    MemorySegment in = Torch.memory(Torch.fast(pass.input()));
    MemorySegment factors = Torch.memory(pass.saved(0));
    MemorySegment ratios = Torch.memory(pass.saved(1));
    MemorySegment from = Torch.memory(gradient);
    MemorySegment to = Torch.memory(result);
    for (long sample = 0; sample < gradient.size(0); sample++) {
      MemorySegment image = image(in, sample);
      MemorySegment behind = image(from, sample);
      parts(image, behind, image(ratios, sample));
      sumLines();
      backward(image, behind, image(factors, sample), image(to, sample));
    }
    return result;
  }

  /** One sample: offsets in it are small integers, which the compiler handles best. */
  private MemorySegment image(MemorySegment all, long sample) {
    long bytes = (long) shares.length * BYTES;
    return all.asSlice(sample * bytes, bytes);
  }

  private void squares(MemorySegment in) {
    for (int i = 0; i < shares.length; i += FLOATS.length()) {
      FloatVector x = Bfloat16Lanes.load(in, i * BYTES);
      x.mul(x).intoArray(shares, i);
    }
  }

  private void forward(
      MemorySegment in, MemorySegment out, MemorySegment factors, MemorySegment ratios) {
    int at = 0;
    for (int line = 0; line < lines; line++) {
      for (int column = 0; column < columns; column++) {
        for (int channel = 0; channel < channels; channel += FLOATS.length()) {
          FloatVector scale = window(line, column, channel).mul(share).add(k);
          FloatVector root = quarterPower(scale);
          FloatVector square = root.mul(root);
          FloatVector factor = square.mul(root);
          Bfloat16Lanes.store(Bfloat16Lanes.load(in, at).mul(factor), out, at);
          Bfloat16Lanes.store(factor, factors, at);
          Bfloat16Lanes.store(factor.mul(square).mul(square), ratios, at);
          at += SHORTS.vectorByteSize();
        }
      }
    }
  }

  /**
   * s^-1/4 by Newton's method, y = y (5 - s y^4) / 4: roots and divisions take the processor ten
   * times as long.
   */
  private static FloatVector quarterPower(FloatVector scale) {
    FloatVector power =
        scale
            .reinterpretAsInts()
            .lanewise(VectorOperators.ASHR, 2)
            .neg()
            .add(GUESS)
            .reinterpretAsFloats();
    for (int i = 0; i < REFINEMENTS; i++) {
      FloatVector square = power.mul(power);
      FloatVector error = square.mul(square).mul(scale);
      power = power.mul(error.mul(-0.25f).add(1.25f));
    }
    return power;
  }

  /** dy x s^(-beta-1). */
  private void parts(MemorySegment in, MemorySegment gradient, MemorySegment ratios) {
    for (int i = 0; i < shares.length; i += FLOATS.length()) {
      int at = i * BYTES;
      Bfloat16Lanes.load(gradient, at)
          .mul(Bfloat16Lanes.load(in, at))
          .mul(Bfloat16Lanes.load(ratios, at))
          .intoArray(shares, i);
    }
  }

  private void backward(
      MemorySegment in, MemorySegment gradient, MemorySegment factors, MemorySegment result) {
    float slope = (float) (-2 * BETA * share);
    int at = 0;
    for (int line = 0; line < lines; line++) {
      for (int column = 0; column < columns; column++) {
        for (int channel = 0; channel < channels; channel += FLOATS.length()) {
          FloatVector direct =
              Bfloat16Lanes.load(gradient, at).mul(Bfloat16Lanes.load(factors, at));
          FloatVector through =
              window(line, column, channel).mul(slope).mul(Bfloat16Lanes.load(in, at));
          Bfloat16Lanes.store(direct.add(through), result, at);
          at += SHORTS.vectorByteSize();
        }
      }
    }
  }

  /** Adds up the shares along lines, as far as a window is wide. */
  private void sumLines() {
    for (int line = 0; line < lines; line++) {
      for (int column = 0; column < columns; column++) {
        int end = Math.min(columns - 1, column + half);
        for (int channel = 0; channel < channels; channel += FLOATS.length()) {
          FloatVector sum = FloatVector.zero(FLOATS);
          for (int j = Math.max(0, column - half); j <= end; j++) {
            sum = sum.add(FloatVector.fromArray(FLOATS, shares, place(line, j, channel)));
          }
          sum.intoArray(sums, place(line, column, channel));
        }
      }
    }
  }

  /** The sum of the shares in the window around a place, of some channels. */
  private FloatVector window(int line, int column, int channel) {
    int end = Math.min(lines - 1, line + half);
    FloatVector sum = FloatVector.zero(FLOATS);
    for (int i = Math.max(0, line - half); i <= end; i++) {
      sum = sum.add(FloatVector.fromArray(FLOATS, sums, place(i, column, channel)));
    }
    return sum;
  }

  private int place(int line, int column, int channel) {
    return (line * columns + column) * channels + channel;
  }
}
