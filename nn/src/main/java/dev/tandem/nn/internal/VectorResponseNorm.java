package dev.tandem.nn.internal;

import static dev.tandem.nn.internal.Bfloat16Lanes.BYTES;
import static dev.tandem.nn.internal.Bfloat16Lanes.FLOATS;
import static dev.tandem.nn.internal.Bfloat16Lanes.ORDER;

import dev.tandem.core.Shape;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.LocalResponseNorm;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/**
 * {@link LocalResponseNormLayer} over windows of bfloat16 images with an exponent of 3/4, by the
 * vector unit; see {@link VectorUnit}. Everything between reading x and writing y is float32, so s
 * keeps what bfloat16 would round away. Saves s^-1/4 in float32, of which the backward pass makes
 * both powers that it needs.
 *
 * <p>Numbers in float32 are in the order in which {@link Bfloat16Lanes} takes them from memory:
 * those of even places of a vector, then those of odd ones.
 */
final class VectorResponseNorm {

  /** The only exponent: a power of -3/4 is that of -1/4 three times. */
  static final double BETA = 0.75;

  /** What a quarter of the bits of a number is taken from for a first guess of its -1/4th power. */
  private static final int GUESS = 0x4F600000;

  /** Each doubles the digits that are right, from one at first to all of float32. */
  private static final int REFINEMENTS = 3;

  /** Numbers of one vector of bfloat16. */
  private static final int STEP = BYTES / Short.BYTES;

  /** Those that become one vector of float32. */
  private static final int LANES = FLOATS.length();

  private final float k;
  private final float share;
  private final int size;
  private final int channels;
  private final int lines;

  /** Numbers of a line of an image, and of all lines. */
  private final int line;

  private final int image;

  VectorResponseNorm(LocalResponseNorm spec, Shape input) {
    k = (float) spec.k();
    share = (float) (spec.alpha() / ((double) spec.size() * spec.size()));
    size = spec.size();
    channels = Math.toIntExact(input.extents().get(0));
    lines = Math.toIntExact(input.extents().get(1));
    line = channels * Math.toIntExact(input.extents().get(2));
    image = lines * line;
  }

  /**
   * What one thread needs for one image after the other.
   *
   * <p>The loops over vectors are small methods, here and below, that leave their results in memory
   * for the next: what a long one calls the compiler would no longer put in place, and every vector
   * that is passed would be an object.
   */
  private final class Sums {

    /** What is summed over windows. */
    private final float[] shares = new float[image];

    /** Its sums over lines, around one line, with zeros for the windows at the border. */
    private final float[] down = new float[line + (size - 1) * channels];

    /** The sums over windows in that line. */
    private final float[] windows = new float[line];

    void around(int middle) {
      int begin = Math.max(0, middle - size / 2);
      int end = Math.min(lines - 1, middle + size / 2);
      int border = size / 2 * channels;
      addRows(shares, begin * line, end - begin + 1, line, down, border);
      addRows(down, 0, size, channels, windows, 0);
    }

    /** Adds up numbers that are so far apart, for each number of a line. */
    private void addRows(float[] from, int first, int rows, int distance, float[] to, int at) {
      for (int i = 0; i < line; i += LANES) {
        FloatVector sum = FloatVector.fromArray(FLOATS, from, first + i);
        for (int row = 1; row < rows; row++) {
          sum = sum.add(FloatVector.fromArray(FLOATS, from, first + i + row * distance));
        }
        sum.intoArray(to, at + i);
      }
    }
  }

  Layer.Pass forward(Tensor images) {
    Tensor input = Torch.fast(images);
    Tensor output = input.emptyLike();
    Tensor roots = Tensor.empty(ScalarType.FLOAT, input.size(0), image);
    MemorySegment from = input.memory();
    MemorySegment to = output.memory();
    MemorySegment saved = roots.memory();
    VectorUnit.share(
        input.size(0),
        (begin, end) -> {
          Sums sums = new Sums();
          for (long sample = begin; sample < end; sample++) {
            forward(halves(from, sample), halves(to, sample), floats(saved, sample), sums);
          }
        });
    return new Layer.Pass(images, output, roots);
  }

  Tensor backward(Layer.Pass pass, Tensor outputGradient) {
    Tensor gradient = Torch.fast(outputGradient);
    Tensor result = gradient.emptyLike();
    MemorySegment in = Torch.fast(pass.input()).memory();
    MemorySegment roots = pass.saved(0).memory();
    MemorySegment from = gradient.memory();
    MemorySegment to = result.memory();
    VectorUnit.share(
        gradient.size(0),
        (begin, end) -> {
          Sums sums = new Sums();
          for (long sample = begin; sample < end; sample++) {
            backward(
                halves(in, sample),
                halves(from, sample),
                floats(roots, sample),
                halves(to, sample),
                sums);
          }
        });
    return result;
  }

  /** One sample: offsets in it are small integers, which the compiler handles best. */
  private MemorySegment halves(MemorySegment all, long sample) {
    return sample(all, sample, (long) image * Short.BYTES);
  }

  private MemorySegment floats(MemorySegment all, long sample) {
    return sample(all, sample, (long) image * Float.BYTES);
  }

  private static MemorySegment sample(MemorySegment all, long sample, long bytes) {
    return all.asSlice(sample * bytes, bytes);
  }

  private void forward(MemorySegment in, MemorySegment out, MemorySegment roots, Sums sums) {
    squares(in, sums.shares);
    for (int middle = 0; middle < lines; middle++) {
      sums.around(middle);
      roots(sums.windows, roots, middle * line);
      scale(in, roots, out, middle * line);
    }
  }

  private void squares(MemorySegment in, float[] squares) {
    for (int i = 0; i < image; i += STEP) {
      IntVector x = Bfloat16Lanes.load(in, i * Short.BYTES);
      FloatVector even = Bfloat16Lanes.even(x);
      FloatVector odd = Bfloat16Lanes.odd(x);
      even.mul(even).intoArray(squares, i);
      odd.mul(odd).intoArray(squares, i + LANES);
    }
  }

  /** s^-1/4 of a line. */
  private void roots(float[] windows, MemorySegment roots, int first) {
    FloatVector factor = FloatVector.broadcast(FLOATS, share);
    FloatVector least = FloatVector.broadcast(FLOATS, k);
    for (int i = 0; i < line; i += LANES) {
      FloatVector scale = FloatVector.fromArray(FLOATS, windows, i).fma(factor, least);
      quarterPower(scale).intoMemorySegment(roots, (first + i) * (long) Float.BYTES, ORDER);
    }
  }

  /** y of a line. */
  private void scale(MemorySegment in, MemorySegment roots, MemorySegment out, int first) {
    for (int i = first; i < first + line; i += STEP) {
      IntVector x = Bfloat16Lanes.load(in, i * Short.BYTES);
      Bfloat16Lanes.store(
          Bfloat16Lanes.even(x).mul(cube(root(roots, i))),
          Bfloat16Lanes.odd(x).mul(cube(root(roots, i + LANES))),
          out,
          i * Short.BYTES);
    }
  }

  private static FloatVector cube(FloatVector root) {
    return root.mul(root).mul(root);
  }

  /**
   * s^-1/4 by Newton's method, y = y (5 - s y^4) / 4: roots and divisions take the processor ten
   * times as long.
   */
  private static FloatVector quarterPower(FloatVector scale) {
    FloatVector lessAgain = FloatVector.broadcast(FLOATS, 1.25f);
    FloatVector part = scale.mul(-0.25f);
    FloatVector power =
        scale
            .reinterpretAsInts()
            .lanewise(VectorOperators.ASHR, 2)
            .neg()
            .add(GUESS)
            .reinterpretAsFloats();
    for (int i = 0; i < REFINEMENTS; i++) {
      FloatVector square = power.mul(power);
      power = power.mul(square.mul(square).fma(part, lessAgain));
    }
    return power;
  }

  private void backward(
      MemorySegment in,
      MemorySegment gradient,
      MemorySegment roots,
      MemorySegment result,
      Sums sums) {
    parts(in, gradient, roots, sums.shares);
    for (int middle = 0; middle < lines; middle++) {
      sums.around(middle);
      gradients(in, gradient, roots, sums.windows, result, middle * line);
    }
  }

  private void parts(MemorySegment in, MemorySegment gradient, MemorySegment roots, float[] parts) {
    for (int i = 0; i < image; i += STEP) {
      IntVector x = Bfloat16Lanes.load(in, i * Short.BYTES);
      IntVector dy = Bfloat16Lanes.load(gradient, i * Short.BYTES);
      part(Bfloat16Lanes.even(x), Bfloat16Lanes.even(dy), root(roots, i)).intoArray(parts, i);
      part(Bfloat16Lanes.odd(x), Bfloat16Lanes.odd(dy), root(roots, i + LANES))
          .intoArray(parts, i + LANES);
    }
  }

  /** dx of a line. */
  private void gradients(
      MemorySegment in,
      MemorySegment gradient,
      MemorySegment roots,
      float[] windows,
      MemorySegment result,
      int first) {
    float slope = (float) (-2 * BETA * share);
    for (int i = 0; i < line; i += STEP) {
      int at = first + i;
      IntVector x = Bfloat16Lanes.load(in, at * Short.BYTES);
      IntVector dy = Bfloat16Lanes.load(gradient, at * Short.BYTES);
      FloatVector even = FloatVector.fromArray(FLOATS, windows, i).mul(slope);
      FloatVector odd = FloatVector.fromArray(FLOATS, windows, i + LANES).mul(slope);
      Bfloat16Lanes.store(
          Bfloat16Lanes.even(dy).fma(cube(root(roots, at)), even.mul(Bfloat16Lanes.even(x))),
          Bfloat16Lanes.odd(dy).fma(cube(root(roots, at + LANES)), odd.mul(Bfloat16Lanes.odd(x))),
          result,
          at * Short.BYTES);
    }
  }

  private static FloatVector root(MemorySegment roots, int at) {
    return FloatVector.fromMemorySegment(FLOATS, roots, (long) at * Float.BYTES, ORDER);
  }

  /** dy x s^(-beta-1), the seventh power of the root. */
  private static FloatVector part(FloatVector x, FloatVector gradient, FloatVector root) {
    FloatVector square = root.mul(root);
    return gradient.mul(x).mul(square.mul(root)).mul(square.mul(square));
  }
}
